# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from ansible_collections.unchoke.net.plugins.module_utils import program


def test_read():
    assert program.read('{"schema": "a/1", "b": 2}', 'a/1')['b'] == 2


@pytest.mark.parametrize('out, why', [
    ('', 'no JSON'),
    ('{"schema": "a/1"', 'no JSON'),
    ('[]', "schema None"),
    ('{"schema": "a/2"}', "reads 'a/1'"),
    (' ' * (program.MOST_BYTES + 1), 'longer than'),
])
def test_read_refuses(out, why):
    with pytest.raises(ValueError, match=why):
        program.read(out, 'a/1')


def test_complaint_is_the_error_with_its_hint():
    err = 'plan  for this host\n  sysctl a\nunchoke: warning: something\nunchoke: apply: no\nhint: do this\n'
    assert program.complaint(err) == 'apply: no; hint: do this'
    assert program.complaint('unchoke: warning: something\n') == ''
    assert program.complaint('') == ''
