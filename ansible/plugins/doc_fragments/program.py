# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations


class ModuleDocFragment(object):

    # What every module takes that runs the program.
    DOCUMENTATION = r"""
options:
  executable:
    description: The program unchoke on the managed host, by its name in PATH or its whole path.
    type: str
    default: unchoke
attributes:
  platform:
    description: Target OS/families that can be operated against.
    platforms: linux
    support: full
"""

    # Of modules that read or write what unchoke tune changed.
    JOURNAL = r"""
options:
  journal:
    description: The directory of the journal of C(unchoke tune). If absent, unchoke's own.
    type: path
"""
