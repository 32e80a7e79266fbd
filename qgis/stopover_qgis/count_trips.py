"""One question: how many trips go through areas of two layers."""
import json

from qgis.core import (QgsProcessing, QgsProcessingException, QgsProcessingOutputNumber, QgsProcessingOutputString,
                       QgsProcessingParameterFeatureSource, QgsProcessingParameterString, QgsProcessingUtils)

from . import program
from .algorithm import FIGURES, Algorithm, geojson_feature, on_wgs84

SIDES = (("FIRST", "First"), ("SECOND", "Second"))


class CountTrips(Algorithm):
    def name(self):
        return "count"

    def displayName(self):
        return "How many trips"

    def shortHelpString(self):
        return ("How many trips are in the areas of a layer at one stop and, if there is a second layer, in its areas at "
                "another. All areas of a layer count as one; select some to ask for these alone.")

    def initAlgorithm(self, config=None):
        self.add_release()
        for side, title in SIDES:
            again = side == "SECOND"
            self.addParameter(QgsProcessingParameterString(
                f"{side}_STOP", f"{title} stop", "destination" if again else "origin", optional=again))
            self.addParameter(QgsProcessingParameterFeatureSource(
                f"{side}_AREA", f"{title} areas", [QgsProcessing.TypeVectorPolygon], optional=again))
        for name in FIGURES:
            self.addOutput(QgsProcessingOutputNumber(name.upper(), name.replace("_", " ")))
        self.addOutput(QgsProcessingOutputString("NOTES", "Notes"))

    def processAlgorithm(self, parameters, context, feedback):
        where = {}
        for side, _ in SIDES:
            source = self.parameterAsSource(parameters, f"{side}_AREA", context)
            if source is None:
                continue
            features = [geojson_feature(shape, {}) for _, shape in on_wgs84(source, context)]
            if not features:
                raise QgsProcessingException("There is no area in this layer.")
            stop = self.parameterAsString(parameters, f"{side}_STOP", context)
            where[stop] = {"polygon": {"type": "FeatureCollection", "features": features}}
        question = QgsProcessingUtils.generateTempFilename("question.json")
        with open(question, "w", encoding="utf-8") as file:
            json.dump({"where": where}, file)
        answer = program.run("query", self.release(parameters, context), "--spec", question, feedback=feedback)
        feedback.pushInfo(f"{answer['estimate']:,.0f} trips; {answer['lower']:,.0f} to {answer['upper']:,.0f} "
                          f"({answer['level']:.0%}{'' if answer['claimed'] else ', not claimed'})")
        return {**{name.upper(): answer[name] for name in FIGURES}, "NOTES": "\n".join(answer["notes"])}
