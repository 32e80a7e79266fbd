"""Ask zones: how many trips go from each zone of a layer to each other."""
import csv
from functools import partial

from qgis.core import (QgsFeature, QgsField, QgsFields, QgsGeometry, QgsProcessing, QgsProcessingParameterFeatureSink,
                       QgsProcessingParameterNumber, QgsProcessingParameterString, QgsProcessingUtils, QgsWkbTypes)
from qgis.PyQt.QtCore import QVariant

from . import program, styles
from .algorithm import FIGURES, WGS84, Algorithm, Styler


class ZoneFlows(Algorithm):
    def name(self):
        return "zoneflows"

    def displayName(self):
        return "Ask flows between zones"

    def shortHelpString(self):
        return ("A line for each pair of zones, with how many trips go from the one to the other and their intervals. Trips "
                "that stay in a zone are a row without a line.")

    def initAlgorithm(self, config=None):
        self.add_release()
        self.add_zones()
        self.addParameter(QgsProcessingParameterString("FROM", "From the stop (the first one)", optional=True))
        self.addParameter(QgsProcessingParameterString("TO", "To the stop (the last one)", optional=True))
        self.addParameter(QgsProcessingParameterNumber("AT_LEAST", "Leave out pairs of fewer trips", defaultValue=0,
                                                       minValue=0, type=QgsProcessingParameterNumber.Double))
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Flows", QgsProcessing.TypeVectorLine))

    def processAlgorithm(self, parameters, context, feedback):
        zones, shapes = self.zones(parameters, context)
        words = []
        for flag, name in (("--from", "FROM"), ("--to", "TO")):
            if stop := self.parameterAsString(parameters, name, context):
                words += [flag, stop]
        if least := self.parameterAsDouble(parameters, "AT_LEAST", context):
            words += ["--at-least", least]
        table = QgsProcessingUtils.generateTempFilename("flows.csv")
        program.run("export", self.release(parameters, context), "--as", "zones", "--zones", zones, "--zone-name", "name",
                    *words, "-o", table, "--overwrite", feedback=feedback)
        fields = QgsFields()
        fields.append(QgsField("from_zone", QVariant.String))
        fields.append(QgsField("to_zone", QVariant.String))
        for name in FIGURES:
            fields.append(QgsField(name, QVariant.Double))
        fields.append(QgsField("claimed", QVariant.Bool))
        sink, output = self.parameterAsSink(parameters, "OUTPUT", context, fields, QgsWkbTypes.LineString, WGS84)
        places = {name: shape.pointOnSurface().asPoint() for name, shape in shapes.items()}
        with open(table, newline="", encoding="utf-8") as file:
            rows = csv.reader(file)
            head = next(rows)
            for values in rows:
                row = dict(zip(head, values))
                feature = QgsFeature(fields)
                if values[0] != values[1]:
                    feature.setGeometry(QgsGeometry.fromPolylineXY([places[values[0]], places[values[1]]]))
                feature.setAttributes([*values[:2], *(float(row[name]) for name in FIGURES), row["claimed"] == "1"])
                sink.addFeature(feature)
        del sink
        if context.willLoadLayerOnCompletion(output):
            context.layerToLoadOnCompletionDetails(output).setPostProcessor(
                Styler.of(partial(styles.lines, lower="lower", upper="upper", what="this way")))
        return {"OUTPUT": output}
