"""The rest is in pyproject.toml. 'make python' puts the compiled parts beside the
Python ones and calls this."""
import setuptools


class WithCompiledParts(setuptools.Distribution):
    """Makes the wheel one for this platform and this Python."""

    def has_ext_modules(self):
        return True


setuptools.setup(distclass=WithCompiledParts)
