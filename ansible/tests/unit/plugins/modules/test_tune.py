# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import pytest

from ansible_collections.unchoke.net.plugins.modules import tune

NOW = dict(kind='sysctl', key='net.ipv4.tcp_congestion_control', when='now', old='cubic', new='bbr', why='asked for')
BOOT = dict(kind='file', key='/etc/b', when='boot', old=None, new='{"content":"YQo="}', why='')
PLAN = dict(schema=tune.PLAN, scope='host', changes=[NOW, BOOT], conflicts=[], notes=[])
IDLE = dict(schema=tune.STATUS, phase='idle', rebooted=False, interrupted=False, items=[])


def outcome(result, changes=(), **more):
    return dict(more, schema=tune.OUTCOME, outcome=result, changes=list(changes))


@pytest.fixture
def run(module):
    """Run a state against a program with these answers; returns the result and the module."""
    def one(state, answers, check_mode=False, **params):
        m = module(dict({
            'executable': 'unchoke', 'state': state, 'scope': 'host', 'remedy': 'auto', 'for': None, 'resolve': False,
            'despite_conflicts': False, 'timeout': 120, 'timer': 'auto', 'token': None, 'force': False, 'except': [],
            'journal': None,
        }, **params), answers, check_mode)
        return getattr(tune.Tune(m), state)(), m
    return one


def test_planned_changes_nothing(run):
    result, m = run('planned', {'tune plan': (3, PLAN, '')}, remedy='bbr', **{'for': 'far'})
    assert not result['changed']
    assert result['changes'] == [NOW, BOOT] and len(result['diff']) == 2
    assert m.ran == [['/usr/bin/unchoke', 'tune', 'plan', '--json', '--scope', 'host', '--remedy', 'bbr', '--for', 'far']]


def test_planned_fails_where_the_host_cannot_be_changed(run, failed):
    unsupported = dict(PLAN, changes=[], unsupported=dict(reason='nixos', what='This is NixOS.', next='Paste it.'))
    result = failed(lambda: run('planned', {'tune plan': (6, unsupported, '')}))
    assert result['refused'] and result['msg'] == 'This is NixOS. Paste it.' and result['plan'] == unsupported


def test_tried_returns_its_token(run):
    result, m = run('tried', {'tune try': (0, outcome('tried', [NOW], token='k7f3-9q2m', deadline='soon'), '')},
                    timeout=30, timer='process', journal='/j', resolve=True)
    assert result['changed'] and result['token'] == 'k7f3-9q2m' and result['deadline'] == 'soon'
    assert m.ran == [['/usr/bin/unchoke', 'tune', 'try', '--json', '--state', '/j', '--scope', 'host',
                      '--remedy', 'auto', '--resolve', '--timeout', '30s', '--timer', 'process']]


@pytest.mark.parametrize('state, verb', [('tried', 'tune try'), ('applied', 'tune apply')])
def test_nothing_to_change(run, state, verb):
    result, m = run(state, {verb: (0, outcome('unchanged'), '')})
    assert not result['changed'] and 'token' not in result and not m.warnings


def test_applied_asks_nobody(run):
    result, m = run('applied', {'tune apply': (0, outcome('applied', [NOW, BOOT]), 'unchoke: warning: mind this\n')},
                    despite_conflicts=True)
    assert result['changed'] and result['diff'][0]['after'] == 'bbr\n'
    assert '--yes' in m.ran[0] and '--despite-conflicts' in m.ran[0]
    assert m.warnings == ['mind this']


def test_what_was_recovered_is_a_change(run):
    result, m = run('applied', {'tune apply': (0, outcome('unchanged', recovered=dict(reason='killed', took=[], left=[])), '')})
    assert result['changed'] and 'killed' in m.warnings[0]


@pytest.mark.parametrize('status, key', [(5, 'reverted'), (6, 'refused')])
def test_a_failure_says_how_the_host_was_left(run, failed, status, key):
    result = failed(lambda: run('applied', {'tune apply': (status, '', 'plan\nunchoke: apply: no\nhint: this\n')}))
    assert result[key] and 'apply: no; hint: this' in result['msg'] and result['rc'] == status


@pytest.mark.parametrize('state, keys', [('tried', ['net.ipv4.tcp_congestion_control']),
                                         ('applied', ['net.ipv4.tcp_congestion_control', '/etc/b'])])
def test_check_mode_asks_for_the_plan_alone(run, state, keys):
    answers = {'tune plan': (3, PLAN, ''), 'tune status': (0, IDLE, '')}
    result, m = run(state, answers, check_mode=True)
    assert result['changed'] and [c['key'] for c in result['changes']] == keys
    assert {tuple(command[1:3]) for command in m.ran} == {('tune', 'plan'), ('tune', 'status')}
    empty = {'tune plan': (0, dict(PLAN, changes=[]), ''), 'tune status': (0, IDLE, '')}
    assert not run(state, empty, check_mode=True)[0]['changed']


def test_check_mode_refuses_what_a_run_would(run, failed):
    tried = dict(IDLE, phase='tried', deadline='12:00')
    result = failed(lambda: run('tried', {'tune plan': (3, PLAN, ''), 'tune status': (0, tried, '')}, check_mode=True))
    assert result['refused'] and '12:00' in result['msg']


def test_check_mode_tells_of_an_interrupted_run(run):
    killed = dict(IDLE, phase='trying', interrupted=True)
    result, m = run('applied', {'tune plan': (0, dict(PLAN, changes=[]), ''), 'tune status': (0, killed, '')}, check_mode=True)
    assert result['changed'] and m.warnings


def test_confirmed(run):
    result, m = run('confirmed', {'tune confirm': (0, outcome('confirmed'), '')}, token='-x')
    assert result['changed'] and m.ran[0][-2:] == ['--', '-x']


def test_verified(run, failed):
    good = dict(schema=tune.VERIFICATION, phase='kept', rebooted=False, wrong=[], items=[dict(change=NOW, have='bbr', state='held')])
    result, m = run('verified', {'tune verify': (0, good, '')})
    assert not result['changed'] and result['changes'] == [NOW]
    bad = failed(lambda: run('verified', {'tune verify': (4, dict(good, wrong=['cc is cubic']), '')}))
    assert 'cc is cubic' in bad['msg'] and bad['verification']['phase'] == 'kept'


def test_reverted(run):
    left = [dict(change=BOOT, why='other files are in it')]
    result, m = run('reverted', {'tune revert': (0, outcome('reverted', [NOW], left=left), '')}, force=True, **{'except': ['a', 'b']})
    assert result['changed'] and result['diff'][0]['before'] == 'bbr\n' and result['diff'][0]['after'] == 'cubic\n'
    assert m.ran[0][3:] == ['--json', '--force', '--except', 'a', '--except', 'b']
    assert 'other files' in m.warnings[0]


def test_the_diff_of_a_revert_is_the_same_in_check_mode(run):
    kept = dict(IDLE, phase='kept', items=[dict(change=NOW, have='bbr', state='held')])
    foreseen, m = run('reverted', {'tune status': (0, kept, '')}, check_mode=True)
    made, m = run('reverted', {'tune revert': (0, outcome('reverted', [NOW]), '')})
    assert (foreseen['changed'], foreseen['diff'], foreseen['changes']) == (made['changed'], made['diff'], made['changes'])


def test_an_answer_of_another_version_is_refused(run, failed):
    result = failed(lambda: run('planned', {'tune plan': (0, dict(PLAN, schema='unchoke.tune.plan/2'), '')}))
    assert 'unchoke.tune.plan/2' in result['msg']
