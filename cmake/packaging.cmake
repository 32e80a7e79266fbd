# install/export: written with the packaging step
