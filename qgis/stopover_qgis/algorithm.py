"""What the algorithms share: the release that they ask, zones on their way to the program, styles on their way back."""
import json

from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsProcessing, QgsProcessingAlgorithm,
                       QgsProcessingException, QgsProcessingLayerPostProcessorInterface,
                       QgsProcessingParameterFeatureSource, QgsProcessingParameterField, QgsProcessingParameterFile,
                       QgsProcessingUtils)

FIGURES = ("estimate", "lower", "upper", "noise_lower", "noise_upper", "bounds_lower", "bounds_upper")
WGS84 = QgsCoordinateReferenceSystem("EPSG:4326")


class Styler(QgsProcessingLayerPostProcessorInterface):
    """Puts a style on a layer once it is in the project."""

    kept = []  # QGIS does not keep them

    @staticmethod
    def of(style):
        styler = Styler()
        styler.style = style
        Styler.kept.append(styler)
        return styler

    def postProcessLayer(self, layer, context, feedback):
        self.style(layer)


class Algorithm(QgsProcessingAlgorithm):
    RELEASE = "RELEASE"

    def createInstance(self):
        return type(self)()

    def group(self):
        return ""

    def groupId(self):
        return ""

    def add_release(self):
        self.addParameter(QgsProcessingParameterFile(
            self.RELEASE, "Release (a folder NAME.odr)", behavior=QgsProcessingParameterFile.Folder))

    def release(self, parameters, context):
        path = self.parameterAsString(parameters, self.RELEASE, context)
        if not path:
            raise QgsProcessingException("Name a release.")
        return path

    def add_zones(self):
        self.addParameter(QgsProcessingParameterFeatureSource(
            "ZONES", "Zones", [QgsProcessing.TypeVectorPolygon]))
        self.addParameter(QgsProcessingParameterField("NAME", "Column with their names", parentLayerParameterName="ZONES"))

    def zones(self, parameters, context):
        """The zones as the program takes them, and {name: feature's geometry on WGS 84}."""
        source = self.parameterAsSource(parameters, "ZONES", context)
        if source is None:
            raise QgsProcessingException(self.invalidSourceError(parameters, "ZONES"))
        name = self.parameterAsString(parameters, "NAME", context)
        shapes, features = {}, []
        for feature, shape in on_wgs84(source, context):
            shapes[str(feature[name])] = shape
            features.append(geojson_feature(shape, {"name": str(feature[name])}))
        if not features:
            raise QgsProcessingException("There is no zone in this layer.")
        path = QgsProcessingUtils.generateTempFilename("zones.geojson")
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"type": "FeatureCollection", "features": features}, file)
        return path, shapes


def on_wgs84(source, context):
    """(feature, geometry in degrees)"""
    change = QgsCoordinateTransform(source.sourceCrs(), WGS84, context.transformContext())
    for feature in source.getFeatures():
        shape = feature.geometry()
        if shape.isEmpty():
            continue
        if source.sourceCrs() != WGS84:
            shape.transform(change)
        yield feature, shape


def geojson_feature(shape, properties):
    return {"type": "Feature", "properties": properties, "geometry": json.loads(shape.asJson(15))}
