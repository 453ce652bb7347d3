#!/usr/bin/python

# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: facts
short_description: Gather what unchoke is and what it changed on a host
version_added: 1.0.0
author:
  - The unchoke authors (!UNKNOWN)
description:
  - Returns as facts whether unchoke is on the managed host, its version, the state of every change that it made
    there, whether they are in force, and the checks that it keeps.
  - It changes nothing and sends nothing.
extends_documentation_fragment:
  - unchoke.net.program.journal
  - unchoke.net.program
attributes:
  check_mode:
    description: Can run in check mode and return changed status prediction without modifying the target.
    support: full
  diff_mode:
    description: Returns details on what has changed (or possibly needs changing in check mode) in diff format.
    support: none
  facts:
    description: Action returns an C(ansible_facts) dictionary that will update existing host facts.
    support: full
notes:
  - Without root it fails if only root may read the journal.
seealso:
  - module: unchoke.net.tune
"""

EXAMPLES = r"""
- name: Gather what unchoke changed
  unchoke.net.facts:

- name: Name the hosts on which something was undone since
  ansible.builtin.debug:
    msg: "{{ ansible_facts.unchoke.verification.wrong }}"
  when: ansible_facts.unchoke.installed and ansible_facts.unchoke.verification.wrong
"""

RETURN = r"""
ansible_facts:
  description: The facts of unchoke, all below one name.
  type: dict
  returned: success
  contains:
    unchoke:
      description: What unchoke is and did on the host.
      type: dict
      returned: success
      contains:
        installed:
          description: Whether the program is there. If not, this is the only fact.
          type: bool
          returned: success
        executable:
          description: Where it is.
          type: str
          returned: if it is installed
        version:
          description: Its version.
          type: str
          returned: if it is installed
        platform:
          description: What it was built for.
          type: str
          returned: if it is installed
          sample: linux/amd64
        slim:
          description: Whether it is the build for routers, without C(tune).
          type: bool
          returned: if it is installed
        status:
          description: The document V(unchoke.tune.status/1), every change that stands with its state.
          type: dict
          returned: if it is installed and not slim
        verification:
          description: The document V(unchoke.tune.verify/1), whether what was applied is in force.
          type: dict
          returned: if it is installed and not slim
        records:
          description: The checks and comparisons that the user keeps, the newest first.
          type: list
          elements: dict
          returned: if it is installed
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.unchoke.net.plugins.module_utils import program

VERSION = 'unchoke.version/1'
STATUS = 'unchoke.tune.status/1'
VERIFICATION = 'unchoke.tune.verify/1'
RECORDS = 'unchoke.records/1'


def gather(module):
    """The facts of a host."""
    if not module.get_bin_path(module.params['executable']):
        return dict(installed=False)
    asked = program.Program(module)
    version = asked.ask(['version'], [], VERSION)[1]
    facts = dict(
        installed=True, executable=asked.path, version=version['version'],
        platform=version['platform'], slim=version.get('slim', False),
        records=asked.ask(['record', 'list'], [], RECORDS)[1]['records'] or [],
    )
    if not facts['slim']:
        journal = ['--state', module.params['journal']] if module.params['journal'] else []
        facts['status'] = asked.ask(['tune', 'status'], journal, STATUS)[1]
        facts['verification'] = asked.ask(
            ['tune', 'verify'], journal, VERIFICATION, (program.DONE, program.NOT_IN_FORCE))[1]
    return facts


def main():
    module = AnsibleModule(
        argument_spec=dict(program.ARGUMENTS, journal=dict(type='path')),
        supports_check_mode=True,
    )
    module.exit_json(changed=False, ansible_facts=dict(unchoke=gather(module)))


if __name__ == '__main__':
    main()
