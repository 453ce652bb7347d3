# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

"""What a run would do, for check mode: decided from unchoke's plan and status
alone, by the rules of unchoke itself. Pure.
"""

from __future__ import annotations

from ansible_collections.unchoke.net.plugins.module_utils import changes as change_lists


class Refused(Exception):
    """The run itself would refuse, and touch nothing."""


def trial(plan, status):
    """The changes that ``tune try`` would make."""
    _may_begin(plan, status)
    return change_lists.at_once(plan['changes'] or [])


def application(plan, status, despite_conflicts):
    """The changes that ``tune apply`` would make."""
    _may_begin(plan, status)
    if plan['changes'] and plan['conflicts'] and not despite_conflicts:
        raise Refused(' '.join(conflict['what'] for conflict in plan['conflicts']))
    return plan['changes'] or []


def confirmation(status):
    """Whether there is a trial to confirm."""
    if status['phase'] != 'tried' or status['interrupted']:
        raise Refused('no changes wait for a confirmation')
    return True


def reversion(status, force, keep):
    """The changes that ``tune revert`` would make."""
    standing = [item for item in status['items'] or [] if item['change']['key'] not in keep]
    known = set(item['change']['key'] for item in status['items'] or [])
    for key in keep:
        if key not in known:
            raise Refused('except %r: no change of that key stands' % key)
    if status['phase'] == 'idle' and status.get('lost'):
        raise Refused('the journal is lost, and unchoke wrote %s' % ', '.join(status['lost']['files'] or []))
    drifted = [item['change']['key'] for item in standing if item['state'] == 'changed']
    if drifted and not force and status['phase'] in ('kept', 'tried') and not status['rebooted']:
        raise Refused('changed by somebody else since: %s' % ', '.join(drifted))
    if not force:
        standing = [item for item in standing if item['state'] != 'changed']
    return change_lists.takes_back(standing)


def _may_begin(plan, status):
    if plan.get('unsupported'):
        raise Refused('%(what)s %(next)s' % plan['unsupported'])
    if status['phase'] == 'tried' and not status['interrupted']:
        raise Refused('changes are being tried until %s: confirm or revert them first' % status['deadline'])
