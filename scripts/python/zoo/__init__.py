"""The models that the embedded backend is checked on, by name, each built with random but lively weights."""

import torchvision_schemas  # noqa: F401  first, see there
from zoo.dense_models import SPECS as DENSE
from zoo.detection_models import SPECS as DETECTION
from zoo.full_models import SPECS as FULL
from zoo.spec import Spec
from zoo.timm_models import SPECS as TIMM
from zoo.torchvision_models import SPECS as TORCHVISION
from zoo.transformers_models import SPECS as TRANSFORMERS

SPECS: dict[str, Spec] = {spec.name: spec for spec in (*TORCHVISION, *TRANSFORMERS, *TIMM, *DETECTION, *DENSE, *FULL)}
