"""Ask zones: how many trips have each stop in each zone of a layer."""
import csv
from functools import partial

from qgis.core import (QgsFeature, QgsField, QgsFields, QgsProcessing, QgsProcessingParameterFeatureSink,
                       QgsProcessingUtils, QgsWkbTypes)
from qgis.PyQt.QtCore import QVariant

from . import program, styles
from .algorithm import FIGURES, WGS84, Algorithm, Styler


class ZoneCounts(Algorithm):
    def name(self):
        return "zones"

    def displayName(self):
        return "Ask zones"

    def shortHelpString(self):
        return ("For each zone and each stop: how many trips are there, with the interval to act on (lower, upper), what the "
                "noise alone leaves open and certain bounds. claimed says whether the interval is known to hold.")

    def initAlgorithm(self, config=None):
        self.add_release()
        self.add_zones()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Zones with counts", QgsProcessing.TypeVectorPolygon))

    def processAlgorithm(self, parameters, context, feedback):
        zones, shapes = self.zones(parameters, context)
        table = QgsProcessingUtils.generateTempFilename("zones.csv")
        program.run("export", self.release(parameters, context), "--as", "zones", "--zones", zones, "--zone-name", "name",
                    "--summary", "-o", table, "--overwrite", feedback=feedback)
        fields = QgsFields()
        fields.append(QgsField("stop", QVariant.String))
        fields.append(QgsField("zone", QVariant.String))
        for name in (*FIGURES, "share"):
            fields.append(QgsField(name, QVariant.Double))
        fields.append(QgsField("claimed", QVariant.Bool))
        sink, output = self.parameterAsSink(parameters, "OUTPUT", context, fields, QgsWkbTypes.MultiPolygon, WGS84)
        with open(table, newline="", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                feature = QgsFeature(fields)
                shape = shapes[row["zone"]]
                shape.convertToMultiType()
                feature.setGeometry(shape)
                feature.setAttributes([row["stop"], row["zone"], *(float(row[name]) for name in (*FIGURES, "share")),
                                       row["claimed"] == "1"])
                sink.addFeature(feature)
        del sink
        if context.willLoadLayerOnCompletion(output):
            context.layerToLoadOnCompletionDetails(output).setPostProcessor(
                Styler.of(partial(styles.areas, lower="lower", upper="upper", what="here")))
        return {"OUTPUT": output}
