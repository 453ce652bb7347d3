# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from ansible_collections.unchoke.net.plugins.module_utils import forecast

NOW = dict(kind='sysctl', key='a', when='now', old='1', new='2', why='')
BOOT = dict(kind='file', key='/etc/b', when='boot', old=None, new='{}', why='')


def plan(**members):
    return dict(dict(changes=[NOW, BOOT], conflicts=[], notes=[]), **members)


def status(**members):
    return dict(dict(phase='idle', interrupted=False, rebooted=False, items=[]), **members)


def item(key, state, have='2'):
    return dict(change=dict(NOW, key=key), have=have, state=state)


def test_a_trial_makes_what_takes_effect_at_once():
    assert forecast.trial(plan(), status()) == [NOW]
    assert forecast.trial(plan(changes=None), status()) == []


def test_an_application_makes_all():
    assert forecast.application(plan(), status(), False) == [NOW, BOOT]


def test_a_conflict_is_refused_unless_it_is_accepted():
    against = plan(conflicts=[dict(what='procps reads /etc/sysctl.conf last.')])
    with pytest.raises(forecast.Refused, match='procps'):
        forecast.application(against, status(), False)
    assert forecast.application(against, status(), True) == [NOW, BOOT]
    assert forecast.application(dict(against, changes=[]), status(), False) == []
    assert forecast.trial(against, status()) == [NOW], 'a trial lasts for no reboot'


@pytest.mark.parametrize('foresee', [forecast.trial, lambda p, s: forecast.application(p, s, True)])
def test_what_no_run_begins_on(foresee):
    with pytest.raises(forecast.Refused, match='old kernel. update it'):
        foresee(plan(changes=[], unsupported=dict(what='old kernel.', next='update it')), status())
    with pytest.raises(forecast.Refused, match='until 12:00'):
        foresee(plan(), status(phase='tried', deadline='12:00'))
    foresee(plan(), status(phase='tried', interrupted=True, deadline='12:00'))


def test_confirmation():
    assert forecast.confirmation(status(phase='tried'))
    for other in (status(), status(phase='kept'), status(phase='tried', interrupted=True)):
        with pytest.raises(forecast.Refused):
            forecast.confirmation(other)


def test_reversion():
    kept = status(phase='kept', items=[item('a', 'held'), item('b', 'held')])
    assert [c['key'] for c in forecast.reversion(kept, False, [])] == ['b', 'a']
    assert [c['key'] for c in forecast.reversion(kept, False, ['b'])] == ['a']
    assert forecast.reversion(status(), False, []) == []
    with pytest.raises(forecast.Refused, match="'c'"):
        forecast.reversion(kept, False, ['c'])


def test_a_reversion_refuses_what_somebody_changed():
    drifted = status(phase='kept', items=[item('a', 'changed', '3'), item('b', 'held')])
    with pytest.raises(forecast.Refused, match='since: a'):
        forecast.reversion(drifted, False, [])
    assert [c['key'] for c in forecast.reversion(drifted, True, [])] == ['b', 'a']
    assert [c['key'] for c in forecast.reversion(drifted, False, ['a'])] == ['b']


def test_a_lost_journal_is_no_reversion():
    with pytest.raises(forecast.Refused, match='/etc/x'):
        forecast.reversion(status(lost=dict(files=['/etc/x'])), False, [])
