"""stopover in QGIS: a Processing provider that opens releases and asks them. It publishes nothing."""


def classFactory(iface):  # as QGIS calls it
    from .plugin import Plugin

    return Plugin()
