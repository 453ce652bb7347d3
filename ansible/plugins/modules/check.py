#!/usr/bin/python

# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: check
short_description: Measure a path from a host and say why one stream is slow
version_added: 1.0.0
author:
  - The unchoke authors (!UNKNOWN)
description:
  - Runs C(unchoke check) on the managed host, which measures the path from there to a target and names the cause.
  - It takes up to 30 seconds on the path, 10 with O(quick), and loads it meanwhile. Do not run it on several hosts
    at once that share a link or a target; C(throttle) with V(1) keeps them apart.
  - It changes nothing on the host but the record of the check, for M(unchoke.net.tune) to plan from.
options:
  target:
    description:
      - The far end, as C(host) or C(host:port) on which C(iperf3 -s) or C(unchoke serve) runs, as a URL to download,
        or as C(ssh://host), reached by the managed host's own ssh.
    type: str
    required: true
  quick:
    description: Takes at most 10 seconds of path time.
    type: bool
    default: false
  budget:
    description: Takes at most this many seconds on the path.
    type: int
  cc:
    description: The congestion control of the senders. If absent, each host's own.
    type: str
  family:
    description: The IP version.
    type: str
    default: any
    choices: [any, ipv4, ipv6]
  since:
    description: Also says what changed since this record, by its ID or file, or V(last) for the newest check of O(target).
    type: str
  wait:
    description: Waits this many seconds for a server that is busy with another test.
    type: int
    default: 10
  predict:
    description: Tries the remedies on copies of the path, if the managed host has a lab kernel.
    type: bool
    default: true
  save:
    description: Saves the record.
    type: bool
    default: true
  token_file:
    description: A file on the managed host with the token that C(unchoke serve --token-file) requires.
    type: path
  max_bytes:
    description: Of a URL, receives at most this over all connections, as V(100MiB).
    type: str
extends_documentation_fragment:
  - unchoke.net.program
attributes:
  check_mode:
    description: Can run in check mode and return changed status prediction without modifying the target.
    support: full
    details: The path is measured in check mode too, so that a plan can be shown for it. The record is saved.
  diff_mode:
    description: Returns details on what has changed (or possibly needs changing in check mode) in diff format.
    support: none
seealso:
  - module: unchoke.net.tune
"""

EXAMPLES = r"""
- name: Measure the path to the far host, one host at a time
  unchoke.net.check:
    target: far.example.net
    quick: true
  throttle: 1
  register: path

- name: Stop if the path is slow for a reason on this host
  ansible.builtin.assert:
    that: path.verdict in ['healthy', 'policed', 'congested']
    fail_msg: "{{ path.findings[0].summary }}"

- name: Plan for what was measured
  unchoke.net.tune:
    state: planned
    for: "{{ path.record }}"
"""

RETURN = r"""
verdict:
  description: The leading cause, V(healthy) if there is none.
  type: str
  returned: success
  sample: loss-limited
findings:
  description: The causes that were found, the leading one first, each with its direction, confidence, evidence and remedies.
  type: list
  elements: dict
  returned: success
record:
  description: The ID of the check's record on the managed host.
  type: str
  returned: success
  sample: 20261122-184224-far
report:
  description: The whole document V(unchoke.check/1).
  type: dict
  returned: success
document:
  description: The same document of a check that failed midway, for what it saw.
  type: dict
  returned: failure, if the check had begun
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.unchoke.net.plugins.module_utils import program

REPORT = 'unchoke.check/1'


def arguments(params):
    """The command line that the parameters ask for."""
    out = ['--wait', '%ds' % params['wait']]
    if params['quick']:
        out.append('--quick')
    if params['budget'] is not None:
        out += ['--budget', '%ds' % params['budget']]
    for name in ('cc', 'since'):
        if params[name]:
            out += ['--' + name, params[name]]
    if params['family'] != 'any':
        out.append('--' + params['family'])
    if not params['predict']:
        out.append('--no-predict')
    if not params['save']:
        out.append('--no-save')
    if params['token_file']:
        out += ['--token-file', params['token_file']]
    if params['max_bytes']:
        out += ['--max-bytes', params['max_bytes']]
    return out + ['--', params['target']]


def main():
    module = AnsibleModule(
        argument_spec=dict(
            program.ARGUMENTS,
            target=dict(type='str', required=True),
            quick=dict(type='bool', default=False),
            budget=dict(type='int'),
            cc=dict(type='str'),
            family=dict(type='str', default='any', choices=['any', 'ipv4', 'ipv6']),
            since=dict(type='str'),
            wait=dict(type='int', default=10),
            predict=dict(type='bool', default=True),
            save=dict(type='bool', default=True),
            token_file=dict(type='path', no_log=False),
            max_bytes=dict(type='str'),
        ),
        supports_check_mode=True,
    )
    report = program.Program(module).ask(['check'], arguments(module.params), REPORT)[1]
    module.exit_json(
        changed=False, report=report, record=report.get('record'),
        verdict=report.get('verdict'), findings=report['findings'] or [],
    )


if __name__ == '__main__':
    main()
