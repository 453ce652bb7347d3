#!/usr/bin/python

# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

DOCUMENTATION = r"""
---
module: tune
short_description: Change a host for a measured path, and revert it exactly
version_added: 1.0.0
author:
  - The unchoke authors (!UNKNOWN)
description:
  - Plans, tries, confirms, applies, verifies and reverts what C(unchoke tune) changes on the managed host.
  - Every change is in the host's own journal with its old value before it is made.
  - A change that cuts the connection is taken back by a timer on the host, so that it fixes itself.
options:
  state:
    description:
      - V(planned) decides what is worth changing, and changes nothing.
      - V(tried) makes the changes that take effect at once, under a timer that reverts them after O(timeout)
        unless they are confirmed. It returns a RV(token).
      - V(confirmed) keeps the changes of a trial until the next reboot. Reset the connection before it, so that
        the confirmation comes over a new one.
      - V(applied) makes what the plan has, verifies it on a new connection, and makes it last over a reboot.
        After V(confirmed) what is left of the plan are the files for the next boot.
      - V(verified) fails unless everything that was applied is in force.
      - V(reverted) restores every value, file and queue that C(unchoke tune) changed on the host.
    type: str
    required: true
    choices: [planned, tried, confirmed, applied, verified, reverted]
  for:
    description:
      - The measured path, as the ID or file of a record on the managed host, or as a target that was checked from it.
      - If absent, the newest check of the managed host; without any, the plan contains only what O(remedy) names.
    type: str
  scope:
    description: Limits the changes to V(host), V(route:PREFIX) or V(device:NAME).
    type: str
    default: host
  remedy:
    description: The remedy for the cause that the check found. V(maxrate) is C(fq) below a policer's rate.
    type: str
    default: auto
    choices: [auto, bbr, maxrate]
  resolve:
    description: Also comments out the lines below C(/etc) that would override the plan's at the next boot.
    type: bool
    default: false
  despite_conflicts:
    description: Applies the plan even if something on the host will set other values again.
    type: bool
    default: false
  timeout:
    description: Seconds after which a trial is reverted unless it is confirmed.
    type: int
    default: 120
  timer:
    description: The kind of timer. V(auto) is a systemd unit if systemd runs, and else a process.
    type: str
    default: auto
    choices: [auto, process]
  token:
    description: Of the trial to confirm, as O(state=tried) returned it. Required if O(state=confirmed).
    type: str
  force:
    description: With O(state=reverted), also restores values that somebody has changed since.
    type: bool
    default: false
  except:
    description: With O(state=reverted), the keys of changes that are left as they are, and forgotten.
    type: list
    elements: str
    default: []
extends_documentation_fragment:
  - unchoke.net.program.journal
  - unchoke.net.program
attributes:
  check_mode:
    description: Can run in check mode and return changed status prediction without modifying the target.
    support: full
    details:
      - It shows the changes of the plan, and fails where the run would refuse.
      - Changes that an interrupted run left are reverted first by a run, and are not in the prediction.
  diff_mode:
    description: Returns details on what has changed (or possibly needs changing in check mode) in diff format.
    support: full
    details: One difference for each change, in the plan's order.
notes:
  - It needs root, through C(become) for example, for every state but V(planned) and V(verified).
  - A host on which a trial waits for its confirmation is refused until that is confirmed or reverted.
seealso:
  - module: unchoke.net.check
  - module: unchoke.net.facts
"""

EXAMPLES = r"""
- name: Show what is worth changing for the newest check
  unchoke.net.tune:
    state: planned
  diff: true

- name: Apply it over the connection that there is
  unchoke.net.tune:
    state: applied
    scope: route:100.64.0.0/10

- name: Try BBR for two minutes
  unchoke.net.tune:
    state: tried
    remedy: bbr
  register: trial

- name: Drop the connection
  ansible.builtin.meta: reset_connection

- name: Keep it if a new connection opens
  unchoke.net.tune:
    state: confirmed
    token: "{{ trial.token }}"
  when: trial.token is defined

- name: Revert all
  unchoke.net.tune:
    state: reverted
"""

RETURN = r"""
changes:
  description: The changes of the plan, those that were made, or those that were reverted. Absent of V(confirmed).
  type: list
  elements: dict
  returned: success
  sample:
    - kind: sysctl
      key: net.ipv4.tcp_congestion_control
      when: now
      old: cubic
      new: bbr
      why: asked for
plan:
  description: The document V(unchoke.tune.plan/1).
  type: dict
  returned: when O(state=planned), and in check mode when O(state=tried) or O(state=applied)
outcome:
  description: The document V(unchoke.tune.outcome/1).
  type: dict
  returned: when something was run that changes the host
verification:
  description: The document V(unchoke.tune.verify/1).
  type: dict
  returned: when O(state=verified)
token:
  description: Confirms the trial, once. Absent if there was nothing to try.
  type: str
  returned: when O(state=tried)
  sample: k7f3-9q2m
deadline:
  description: When the trial is reverted unless it is confirmed.
  type: str
  returned: when O(state=tried)
  sample: "2026-11-22T18:50:24.935842117Z"
refused:
  description: The program refused, and nothing was changed.
  type: bool
  returned: failure
reverted:
  description: Something failed, and every change was taken back.
  type: bool
  returned: failure
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.unchoke.net.plugins.module_utils import changes, forecast, program

PLAN = 'unchoke.tune.plan/1'
OUTCOME = 'unchoke.tune.outcome/1'
STATUS = 'unchoke.tune.status/1'
VERIFICATION = 'unchoke.tune.verify/1'


class Tune(object):
    """One run of the module: a method for each state."""

    def __init__(self, module):
        self.module = module
        self.params = module.params
        self.program = program.Program(module)

    def planned(self):
        plan = self._plan()
        if plan.get('unsupported'):
            self._refuse('%(what)s %(next)s' % plan['unsupported'], plan=plan)
        made = plan['changes'] or []
        return dict(changed=False, plan=plan, changes=made, diff=changes.diff(made))

    def tried(self):
        return self._make('try', self._choice() + self._timer(), forecast.trial)

    def applied(self):
        arguments = ['--yes'] + self._choice() + self._timer()
        if self.params['despite_conflicts']:
            arguments.append('--despite-conflicts')
        return self._make('apply', arguments, lambda plan, status: forecast.application(
            plan, status, self.params['despite_conflicts']))

    def confirmed(self):
        if self.module.check_mode:
            return dict(changed=self._foreseen(forecast.confirmation, self._status()))
        outcome = self._act('confirm', ['--', self.params['token']])
        return dict(changed=True, outcome=outcome)

    def verified(self):
        status, found = self.program.ask(
            ['tune', 'verify'], self._journal(), VERIFICATION, (program.DONE, program.NOT_IN_FORCE))
        if status == program.NOT_IN_FORCE:
            self.module.fail_json(msg='not in force: ' + '; '.join(found['wrong'] or []), verification=found)
        return dict(changed=False, verification=found, changes=[item['change'] for item in found['items'] or []])

    def reverted(self):
        if self.module.check_mode:
            back = self._foreseen(forecast.reversion, self._status(), self.params['force'], self.params['except'])
            return dict(changed=bool(back), changes=changes.backwards(back), diff=changes.diff(back))
        arguments = ['--force'] if self.params['force'] else []
        for key in self.params['except']:
            arguments += ['--except', key]
        outcome = self._act('revert', arguments)
        for left in outcome.get('left') or []:
            self.module.warn('%s was not reverted: %s' % (left['change']['key'], left['why']))
        taken = outcome['changes'] or []
        return dict(changed=outcome['outcome'] == 'reverted', outcome=outcome, changes=taken,
                    diff=changes.diff(changes.backwards(taken)))

    def _make(self, verb, arguments, foresee):
        """Make changes, or say which in check mode."""
        if self.module.check_mode:
            plan, status = self._plan(), self._status()
            made = self._foreseen(foresee, plan, status)
            if status['interrupted']:
                self.module.warn('an earlier run was interrupted: a run reverts first what it left')
            return dict(changed=bool(made) or status['interrupted'], plan=plan, changes=made, diff=changes.diff(made))
        outcome = self._act(verb, arguments)
        made = outcome['changes'] or []
        result = dict(changed=outcome['outcome'] != 'unchanged', outcome=outcome, changes=made, diff=changes.diff(made))
        for name in ('token', 'deadline'):
            if outcome.get(name):
                result[name] = outcome[name]
        recovered = outcome.get('recovered')
        if recovered:
            self.module.warn('changes of an earlier run were reverted first: ' + recovered['reason'])
            result['changed'] = True
        return result

    def _act(self, verb, arguments):
        return self.program.ask(['tune', verb], self._journal() + arguments, OUTCOME)[1]

    def _plan(self):
        answers = (program.DONE, program.PENDING, program.REFUSED)
        return self.program.ask(['tune', 'plan'], self._choice(), PLAN, answers)[1]

    def _status(self):
        return self.program.ask(['tune', 'status'], self._journal(), STATUS)[1]

    def _foreseen(self, foresee, *facts):
        try:
            return foresee(*facts)
        except forecast.Refused as refusal:
            self._refuse(str(refusal))

    def _refuse(self, why, **more):
        self.module.fail_json(msg=why, refused=True, reverted=False, **more)

    def _choice(self):
        """What selects a plan, as arguments."""
        arguments = ['--scope', self.params['scope'], '--remedy', self.params['remedy']]
        if self.params['for']:
            arguments += ['--for', self.params['for']]
        if self.params['resolve']:
            arguments.append('--resolve')
        return arguments

    def _timer(self):
        return ['--timeout', '%ds' % self.params['timeout'], '--timer', self.params['timer']]

    def _journal(self):
        return ['--state', self.params['journal']] if self.params['journal'] else []


def main():
    module = AnsibleModule(
        argument_spec=dict(
            program.ARGUMENTS,
            state=dict(type='str', required=True,
                       choices=['planned', 'tried', 'confirmed', 'applied', 'verified', 'reverted']),
            scope=dict(type='str', default='host'),
            remedy=dict(type='str', default='auto', choices=['auto', 'bbr', 'maxrate']),
            resolve=dict(type='bool', default=False),
            despite_conflicts=dict(type='bool', default=False),
            timeout=dict(type='int', default=120),
            timer=dict(type='str', default='auto', choices=['auto', 'process']),
            token=dict(type='str', no_log=False),
            force=dict(type='bool', default=False),
            journal=dict(type='path'),
            **{
                'for': dict(type='str'),
                'except': dict(type='list', elements='str', default=[]),
            }
        ),
        required_if=[('state', 'confirmed', ('token',))],
        supports_check_mode=True,
    )
    module.exit_json(**getattr(Tune(module), module.params['state'])())


if __name__ == '__main__':
    main()
