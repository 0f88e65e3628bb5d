# Lets the test files of this folder import residual_support.
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
