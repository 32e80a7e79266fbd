"""Styles that show how sure a number is: the wider its interval beside the estimate, the paler it is drawn."""
from qgis.core import (QgsClassificationQuantile, QgsFillSymbol, QgsGradientColorRamp, QgsGraduatedSymbolRenderer,
                       QgsLineSymbol, QgsProperty, QgsSingleSymbolRenderer, QgsSymbol, QgsSymbolLayer)
from qgis.PyQt.QtGui import QColor

DENSITY = '"estimate" / (area($geometry) * 111.32 ^ 2 * cos(radians(y(centroid($geometry)))))'
PALE, STRONG, FLOW = QColor("#dff0ec"), QColor("#0b4f4a"), "#a63603"


def opacity(lower, upper):
    """100 where the interval is a point, 20 where it is as wide as the estimate or wider."""
    return QgsProperty.fromExpression(
        f'100 - 80 * min(1, max(0, "{upper}" - "{lower}") / max(1, "estimate"))')


def tip(lower, upper, what):
    return (f"<b>[% format_number(\"estimate\", 0) %]</b> trips {what}<br>"
            f"95 %: [% format_number(\"{lower}\", 0) %] to [% format_number(\"{upper}\", 0) %]")


def areas(layer, lower, upper, what):
    """By trips per square kilometre, in equal numbers of areas. Layers are in degrees; $area would depend on the
    project's ellipsoid, and classes are made before there is one."""
    symbol = QgsFillSymbol.createSimple({"outline_style": "no"})
    symbol.setDataDefinedProperty(QgsSymbol.PropertyOpacity, opacity(lower, upper))
    renderer = QgsGraduatedSymbolRenderer(DENSITY)
    renderer.setSourceSymbol(symbol)
    renderer.setClassificationMethod(QgsClassificationQuantile())
    renderer.updateClasses(layer, 7)
    renderer.updateColorRamp(QgsGradientColorRamp(PALE, STRONG))
    layer.setRenderer(renderer)
    layer.setMapTipTemplate(tip(lower, upper, what))


def lines(layer, lower, upper, what):
    """As wide as the largest flow allows."""
    symbol = QgsLineSymbol.createSimple({"line_color": FLOW, "capstyle": "round"})
    symbol.symbolLayer(0).setDataDefinedProperty(
        QgsSymbolLayer.PropertyStrokeWidth,
        QgsProperty.fromExpression('0.2 + 3 * sqrt(max(0, "estimate") / max(1, maximum("estimate")))'))
    symbol.setDataDefinedProperty(QgsSymbol.PropertyOpacity, opacity(lower, upper))
    layer.setRenderer(QgsSingleSymbolRenderer(symbol))
    layer.setMapTipTemplate(tip(lower, upper, what))
