"""The rest is in pyproject.toml. 'make python' puts the compiled parts beside the
Python ones and calls this."""
import setuptools


class WithCompiledParts(setuptools.Distribution):
    """Marks the wheel as specific to this platform and this Python."""

    def has_ext_modules(self):
        return True


setuptools.setup(distclass=WithCompiledParts)
