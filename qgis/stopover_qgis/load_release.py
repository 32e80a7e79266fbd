"""Load the maps and flows of a release: a layer for each stop and one of flows, with their intervals as styles."""
from functools import partial

from qgis.core import (QgsProcessingContext, QgsProcessingException, QgsProcessingOutputNumber,
                       QgsProcessingParameterFileDestination, QgsProcessingParameterNumber, QgsVectorLayer)

from . import program, styles
from .algorithm import Algorithm, Styler


class LoadRelease(Algorithm):
    def name(self):
        return "load"

    def displayName(self):
        return "Load maps and flows"

    def shortHelpString(self):
        return ("A layer for each stop of a release, by trips per square kilometre, and one with the largest flows. What is "
                "less sure is paler: the wider the noise interval beside the estimate. Numbers and intervals are columns; "
                "hover over a place for them.")

    def initAlgorithm(self, config=None):
        self.add_release()
        self.addParameter(QgsProcessingParameterNumber("TOP", "How many flows", defaultValue=500, minValue=1))
        self.addParameter(QgsProcessingParameterFileDestination("OUTPUT", "GeoPackage", "GeoPackage (*.gpkg)"))
        self.addOutput(QgsProcessingOutputNumber("LAYERS", "How many layers"))

    def processAlgorithm(self, parameters, context, feedback):
        output = self.parameterAsFileOutput(parameters, "OUTPUT", context)
        top = self.parameterAsInt(parameters, "TOP", context)
        program.run("export", self.release(parameters, context), "--as", "gpkg", "--top", top, "-o", output, "--overwrite",
                    feedback=feedback)
        stops = QgsVectorLayer(f"{output}|layername=stops", "stops", "ogr")
        if not stops.isValid():
            raise QgsProcessingException(f"{output} has no maps: the stops of this release are not on a map.")
        names = stops.uniqueValues(stops.fields().indexOf("stop"))
        order = [name for name in dict.fromkeys(f["stop"] for f in stops.getFeatures()) if name in names]
        for name in reversed(order):
            quoted = name.replace("'", "''")
            self.show(context, f"{output}|layername=stops|subset=\"stop\" = '{quoted}'", f"Trips: {name}",
                      partial(styles.areas, lower="noise_lower", upper="noise_upper", what=f"at {name}"))
        self.show(context, f"{output}|layername=flows", "Flows",
                  partial(styles.lines, lower="noise_lower", upper="noise_upper", what="this way"))
        return {"OUTPUT": output, "LAYERS": len(order) + 1}

    @staticmethod
    def show(context, source, name, style):
        layer = QgsVectorLayer(source, name, "ogr")
        if not layer.isValid():
            return
        details = QgsProcessingContext.LayerDetails(name, context.project(), name)
        details.setPostProcessor(Styler.of(style))
        context.temporaryLayerStore().addMapLayer(layer)
        context.addLayerToLoadOnCompletion(layer.id(), details)
