# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

from __future__ import annotations

import base64
import json

from ansible_collections.unchoke.net.plugins.module_utils import changes


def change(kind, key, old, new, when='now'):
    return dict(kind=kind, key=key, when=when, old=old, new=new, why='asked for')


def file(content, mode=0o644):
    return json.dumps(dict(content=base64.b64encode(content.encode()).decode(), mode=mode))


CC = change('sysctl', 'net.ipv4.tcp_congestion_control', 'cubic', 'bbr')
FILE = change('file', '/etc/sysctl.d/99-zz-unchoke.conf', None, file('a = b\n'), 'boot')


def test_a_difference_for_each_change():
    assert changes.diff([CC, FILE]) == [
        {
            'before_header': 'sysctl net.ipv4.tcp_congestion_control (now)',
            'after_header': 'sysctl net.ipv4.tcp_congestion_control (now)',
            'before': 'cubic\n', 'after': 'bbr\n',
        },
        {
            'before_header': 'file /etc/sysctl.d/99-zz-unchoke.conf (at boot)',
            'after_header': 'file /etc/sysctl.d/99-zz-unchoke.conf (at boot)',
            'before': '', 'after': 'a = b\n',
        },
    ]


def test_backwards_twice_is_the_same():
    assert changes.backwards(changes.backwards([CC, FILE])) == [CC, FILE]
    assert changes.backwards([CC])[0]['new'] == 'cubic'


def test_at_once():
    assert changes.at_once([CC, FILE]) == [CC]


def test_files_that_are_none():
    assert changes.text('file', json.dumps(dict(link='/dev/null'))) == 'a link to /dev/null\n'
    assert changes.text('file', json.dumps(dict(dir=True, mode=0o755))) == 'a directory, mode 0755\n'
    assert changes.text('file', file('no end')).endswith('\\ no newline at the end\n')
    assert changes.text('file', json.dumps(dict(content=base64.b64encode(b'\xff\n').decode()))) == '\\xff\n'


def test_a_queue_is_shown_without_the_bytes_that_are_the_kernels_choice():
    old = json.dumps(dict(kind='mq', handle='0:', options='AAAA', leaves=[dict(kind='fq_codel', handle='0:', options='BB')]))
    new = json.dumps(dict(kind='mq', handle='1:', leaves=[dict(kind='fq')]))
    shown = changes.diff([change('qdisc', 'eth0', old, new)])[0]
    assert json.loads(shown['before']) == dict(kind='mq', handle='0:', leaves=[dict(kind='fq_codel')])
    assert json.loads(shown['after']) == dict(kind='mq', handle='1:', leaves=[dict(kind='fq')])


def test_a_queue_that_differs_in_its_options_alone():
    old = json.dumps(dict(kind='fq', options='AAAA'))
    new = json.dumps(dict(kind='fq', options='BBBB'))
    shown = changes.diff([change('qdisc', 'eth0', old, new)])[0]
    assert shown['before'] != shown['after']


def test_a_route():
    old = json.dumps(dict(message='AAAA'))
    new = json.dumps(dict(congctl='bbr'))
    shown = changes.diff([change('route', '10.0.0.0/8 dev eth0 table 254 metric 0', old, new)])[0]
    assert json.loads(shown['before']) == {}
    assert json.loads(shown['after']) == dict(congctl='bbr')


def test_takes_back_what_the_host_has_to_what_it_had():
    items = [
        dict(change=CC, have='bbr', state='held'),
        dict(change=change('sysctl', 'b', '1', '2'), have='1', state='back'),
        dict(change=change('sysctl', 'c', '1', '2'), have=None, state='gone'),
        dict(change=change('sysctl', 'd', '1', '2'), have='3', state='changed'),
    ]
    back = changes.takes_back(items)
    assert [(c['key'], c['old'], c['new']) for c in back] == [
        ('d', '3', '1'), ('net.ipv4.tcp_congestion_control', 'bbr', 'cubic'),
    ]
