# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

"""What unchoke's documents say of changes, as Ansible shows it. Pure: it reaches
neither the host nor the program.

A change is a member of ``changes`` of unchoke.tune.plan/1 and
unchoke.tune.outcome/1: kind, key, when, old, new, why. A value that is None is
the absence of the thing.
"""

from __future__ import annotations

import base64
import json


def diff(changes):
    """The changes as Ansible's diff mode takes them, in their order."""
    return [_difference(change) for change in changes]


def backwards(changes):
    """The same changes the other way round, as a revert makes them."""
    return [dict(change, old=change['new'], new=change['old']) for change in changes]


def at_once(changes):
    """The changes that a trial makes: those that need no reboot."""
    return [change for change in changes if change['when'] == 'now']


def takes_back(items):
    """What a revert changes: a standing change, from what the host has to what it had."""
    return [
        dict(item['change'], new=item['change']['old'], old=item['have'])
        for item in reversed(items)
        if item['have'] != item['change']['old'] and item['state'] != 'gone'
    ]


def _difference(change):
    name = '%s %s' % (change['kind'], change['key'])
    when = 'at boot' if change['when'] == 'boot' else 'now'
    return {
        'before_header': '%s (%s)' % (name, when),
        'after_header': '%s (%s)' % (name, when),
        'before': text(change['kind'], change['old'], change['new']),
        'after': text(change['kind'], change['new'], change['old']),
    }


def text(kind, value, other=None):
    """A value as lines. Other is the value on the other side of the difference."""
    if value is None:
        return ''
    if kind == 'file':
        return _file(json.loads(value))
    if kind in ('qdisc', 'route'):
        beside = json.loads(other) if other is not None else {}
        return json.dumps(_comparable(json.loads(value), beside), indent=2, sort_keys=True) + '\n'
    return value + '\n'


def _file(value):
    if value.get('dir'):
        return 'a directory, mode %04o\n' % value.get('mode', 0)
    if value.get('link'):
        return 'a link to %s\n' % value['link']
    content = base64.b64decode(value.get('content', '')).decode('utf-8', 'backslashreplace')
    if content and not content.endswith('\n'):
        content += '\n\\ no newline at the end\n'
    return content


# The kernel's own bytes of a thing. A planned value has none where they stay as
# they are, or are the kernel's choice.
_BYTES = ('options', 'message', 'handle')


def _comparable(value, other):
    """The value without the kernel's bytes that the other side leaves open."""
    out = {name: member for name, member in value.items() if name not in _BYTES or name in other}
    if 'leaves' in out:
        beside = other.get('leaves') or []
        out['leaves'] = [
            _comparable(leaf, beside[i] if i < len(beside) else {})
            for i, leaf in enumerate(out['leaves'])
        ]
    return out
