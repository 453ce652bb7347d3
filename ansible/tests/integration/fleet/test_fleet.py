# Copyright: the unchoke authors
# SPDX-License-Identifier: Apache-2.0

"""The collection on real hosts: real sshd, the real program, each host with a
network and a root file system of its own. `private` has to be around it.

UNCHOKE is the program; UNCHOKE_DEB, if set, a package of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import pathlib
import stat
import subprocess
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
WORK = pathlib.Path('/run/fleet')
HOSTS = dict(a=1, b=2, c=3, d=4, e=5)
PROGRAM = str(WORK / 'unchoke')
PACKAGE = os.environ.get('UNCHOKE_DEB', '')

# Where a tune may leave something, and what it is about.
PLACES = ['etc', 'usr/lib/sysctl.d', 'usr/lib/modules-load.d']
SYSCTLS = ['congestion_control', 'allowed_congestion_control', 'wmem', 'rmem', 'mtu_probing',
           'window_scaling', 'moderate_rcvbuf', 'slow_start_after_idle', 'notsent_lowat']


def on(host, *command, check=True):
    """Run a command on a host, past Ansible and ssh."""
    pid = (WORK / host / 'root/run/fleet/sshd.pid').read_text().strip()
    done = subprocess.run(['nsenter', '--target', pid, '--net', '--mount', '--root', '--wd', '--', *command],
                          capture_output=True, text=True, check=False)
    assert not check or done.returncode == 0, (host, command, done.stdout, done.stderr)
    return done.stdout


def tune(host, *arguments):
    return json.loads(on(host, PROGRAM, 'tune', *arguments, '--json'))


def state(host):
    """All that a tune may change on a host, to the byte."""
    seen = {}
    root = WORK / host / 'root'
    for place in PLACES:
        for name in sorted((root / place).rglob('*')):
            info = name.lstat()
            what = [stat.filemode(info.st_mode), info.st_uid, info.st_gid]
            if name.is_symlink():
                what.append(os.readlink(name))
            elif name.is_file():
                what.append(hashlib.sha256(name.read_bytes()).hexdigest())
            seen[str(name.relative_to(root))] = what
    for name in SYSCTLS:
        seen[name] = on(host, 'cat', '/proc/sys/net/ipv4/tcp_' + name)
    # The address alone tells hosts apart.
    number = str(HOSTS[host])
    seen['qdisc'] = on(host, 'tc', 'qdisc', 'show')
    seen['route'] = on(host, 'ip', 'route', 'show', 'table', 'main').replace('10.9.0.' + number, 'HOST')
    return seen


def standing(host):
    """What the journal says of the changes, in their order."""
    return [item['change'] for item in tune(host, 'status')['items']]


# What differs between two journals of the same changes: moments, random names, and
# the process of the timer.
OWN = {'time', 'deadline', 'id', 'boot_id', 'token_sha256', 'pid', 'started', 'program', 'unit'}


def journal(host):
    """The journal's lines, but for what is each run's own."""
    def shared(value):
        if isinstance(value, dict):
            return {k: shared(v) for k, v in value.items() if k not in OWN}
        return [shared(v) for v in value] if isinstance(value, list) else value
    text = (WORK / host / 'root/var/lib/unchoke/tune/journal.jsonl').read_text()
    return [shared(json.loads(line)) for line in text.splitlines()]


def unchoke_fleet(verb, *arguments):
    """unchoke fleet on this machine, over ssh, with the hosts' key."""
    config, hosts = WORK / 'ssh_config', WORK / 'hosts.ini'
    config.write_text('IdentityFile %s\nIdentitiesOnly yes\nStrictHostKeyChecking no\nUserKnownHostsFile /dev/null\n' % (WORK / 'key'))
    hosts.write_text(''.join('%s ansible_host=10.9.0.%d\n' % pair for pair in HOSTS.items())
                     + '[all:vars]\nansible_user=root\nansible_ssh_common_args=-F %s\n' % config)
    done = subprocess.run([PROGRAM, 'fleet', verb, '--hosts', str(hosts), *arguments, '--json'], capture_output=True, text=True, check=False,
                          env=dict(os.environ, HOME=str(WORK), UNCHOKE_STATE_DIR=str(WORK / 'near')))
    assert done.returncode == 0, (done.stdout, done.stderr)
    return json.loads(done.stdout)


class Run:
    """What an ansible-playbook did."""

    def __init__(self, done, results):
        self.status, self.text = done.returncode, done.stdout + done.stderr
        lines = [json.loads(line) for line in results.read_text().splitlines()] if results.exists() else []
        assert lines and 'stats' in lines[-1], self.text
        self.stats, self.results = lines[-1]['stats'], lines[:-1]

    def tasks(self, host):
        """Names and results of the tasks of a host, in their order."""
        return [(one['task'], one['result']) for one in self.results if one['host'] == host]

    def task(self, host, name):
        return dict(self.tasks(host))[name]

    def diff(self, host):
        """The differences of changes that a run showed of a host."""
        return [d for name, result in self.tasks(host) for d in result.get('diff') or [] if 'before_header' in d]


def playbook(name, *arguments, **variables):
    variables = dict(dict(unchoke_executable=PROGRAM), **variables)
    results = WORK / 'results'
    results.unlink(missing_ok=True)
    environment = dict(
        os.environ, HOME=str(WORK), ANSIBLE_HOME=str(WORK / '.ansible'), ANSIBLE_NOCOLOR='1', ANSIBLE_FORKS='5',
        ANSIBLE_CALLBACK_PLUGINS=str(HERE / 'callback'), ANSIBLE_CALLBACKS_ENABLED='results',
        ANSIBLE_HOST_KEY_CHECKING='false', ANSIBLE_SSH_ARGS='-o ControlMaster=auto -o ControlPersist=60s -o ConnectTimeout=5',
        UNCHOKE_TEST_RESULTS=str(results),
    )
    program = pathlib.Path(sys.executable).parent / 'ansible-playbook'
    return Run(subprocess.run(
        [str(program), '-i', str(WORK / 'inventory.json'), name, '-e', json.dumps(variables), *arguments],
        capture_output=True, text=True, check=False, env=environment), results)


def changed(run, host):
    return run.stats[host]['changed']


def until(what, condition):
    """Wait for a condition."""
    for second in range(600):
        if condition():
            return
        time.sleep(1)
    pytest.fail('in ten minutes not: ' + what)


@pytest.fixture(scope='session', autouse=True)
def fleet():
    if 'bbr' not in pathlib.Path('/proc/sys/net/ipv4/tcp_allowed_congestion_control').read_text().split():
        (pytest.fail if os.environ.get('CI') else pytest.skip)('needs a kernel that allows bbr in network namespaces: it is built in, or the default')
    subprocess.run(['sh', str(HERE / 'hosts.sh'), str(WORK), *(str(w) for pair in HOSTS.items() for w in pair)], check=True)
    variables = dict(
        ansible_user='root', ansible_ssh_private_key_file=str(WORK / 'key'),
        ansible_python_interpreter='/usr/bin/python3', ansible_remote_tmp='/tmp/ansible',
    )
    (WORK / 'inventory.json').write_text(json.dumps(dict(all=dict(
        vars=variables, hosts={name: dict(ansible_host='10.9.0.%d' % n) for name, n in HOSTS.items()}))))


def written(host):
    """A host's journal as it lies there, of earlier tests too; empty if there is none."""
    file = WORK / host / 'root/var/lib/unchoke/tune/journal.jsonl'
    return file.read_bytes() if file.exists() else b''


@pytest.fixture
def before():
    """The state of all hosts, to which each is brought back after the test."""
    first = {host: state(host) for host in HOSTS}
    yield first
    for host in HOSTS:
        tune(host, 'revert')
        assert state(host) == first[host], host


def canary(*arguments, **variables):
    return playbook('unchoke.net.canary', *arguments, **dict(dict(unchoke_remedy='bbr', unchoke_serial=[1, 2, '100%']), **variables))


def test_the_role_does_what_a_local_apply_does(before):
    """The same state to the byte; a second run changes nothing; a revert restores."""
    on('e', PROGRAM, 'tune', 'apply', '--yes', '--remedy', 'bbr')
    foreseen = canary('--limit', 'a', '--check', '--diff')
    assert foreseen.status == 0, foreseen.text
    assert state('a') == before['a'], 'check mode changed the host'
    assert foreseen.task('a', 'Apply the rest')['changed'], foreseen.text

    run = canary('--limit', 'a', '--diff')
    assert run.status == 0, run.text
    assert state('a') == state('e') and state('a') != before['a']
    assert standing('a') == standing('e')
    assert [change['kind'] for change in standing('a')] == ['sysctl', 'file']
    assert tune('a', 'verify')['wrong'] == [] and tune('a', 'status')['phase'] == 'kept'
    assert foreseen.diff('a') == run.diff('a') != []
    assert foreseen.task('a', 'Apply the rest')['changes'] == standing('a')

    again = canary('--limit', 'a')
    assert again.status == 0 and changed(again, 'a') == 0, again.text

    foreseen = playbook('unchoke.net.revert', '--limit', 'a', '--check', '--diff')
    assert state('a') == state('e')
    back = playbook('unchoke.net.revert', '--limit', 'a', '--diff')
    assert back.status == 0 and changed(back, 'a') == 1, back.text
    assert foreseen.diff('a') == back.diff('a') != []
    assert state('a') == before['a']
    assert changed(playbook('unchoke.net.revert', '--limit', 'a'), 'a') == 0


def test_the_role_and_unchoke_fleet_leave_the_same(before):
    """The same plan on twins: files, sysctls, queues, routes and journals are the
    same to the byte, but for what OWN names; both revert to what was."""
    run = canary('--limit', 'a,b')
    assert run.status == 0, run.text
    rollout = unchoke_fleet('apply', '--limit', 'c,d', '--remedy', 'bbr', '--rounds', '0', '--yes')
    assert rollout['done'] and [entry['stage'] for entry in rollout['hosts']] == ['kept', 'kept'], rollout
    assert state('a') != before['a']
    for host in ('b', 'c', 'd'):
        assert state(host) == state('a'), host
        assert journal(host) == journal('a') != [], host
        assert standing(host) == standing('a'), host
    unchoke_fleet('revert', '--limit', 'a,d', '--yes')
    assert playbook('unchoke.net.revert', '--limit', 'b,c').status == 0
    for host in ('a', 'b', 'c', 'd'):
        assert state(host) == before[host], host
        assert journal(host) == journal('a'), host


def test_a_host_that_the_change_cuts_off_ends_the_rollout(before):
    """The timer on the host fixes it; what was not confirmed is reverted, what
    comes after is never touched."""
    untouched = {host: written(host) for host in ('d', 'e')}
    # Host c loses its network while it has BBR: nobody can reach it to revert.
    watch = subprocess.Popen(['nsenter', '--target', (WORK / 'c/root/run/fleet/sshd.pid').read_text().strip(), '--net', '--mount',
                              'sh', '-c', """
        while sleep 0.5; do
          case $(cat /proc/sys/net/ipv4/tcp_congestion_control) in
            bbr) ip link set eth0 down;;
            *) ip link set eth0 up;;
          esac
        done"""])
    try:
        run = canary(unchoke_timeout=60)
        assert run.status != 0
        assert tune('a', 'status')['phase'] == 'kept', 'the canary was confirmed'
        for host in ('b', 'c'):
            until('%s has reverted itself' % host, lambda host=host: tune(host, 'status')['phase'] == 'idle')
    finally:
        watch.terminate()
        watch.wait()
    on('c', 'ip', 'link', 'set', 'eth0', 'up')
    for host in ('b', 'c', 'd', 'e'):
        assert state(host) == before[host], host
    for host in ('d', 'e'):
        assert 'Try what takes effect at once' not in dict(run.tasks(host)), host
        assert written(host) == untouched[host], host

    # The next run goes on where this one stopped.
    again = canary()
    assert again.status == 0 and changed(again, 'a') == 0, again.text
    for host in HOSTS:
        assert state(host) == state('a'), host


def test_a_host_that_cannot_be_changed_ends_the_rollout_before_it_begins(before):
    on('c', 'mount', '-o', 'bind', '/etc', '/etc')
    on('c', 'mount', '-o', 'remount,bind,ro', '/etc')
    try:
        run = canary()
        assert run.status != 0 and run.stats['c']['failures'] == 1, run.text
        failed = run.task('c', 'Plan, which fails where the host cannot be changed')
        assert failed['refused'] and 'read-only' in failed['msg'], failed
        for host in HOSTS:
            assert state(host) == before[host], host
            assert changed(run, host) == 0, host
    finally:
        on('c', 'umount', '/etc')


def test_a_conflict_is_refused_in_check_mode_as_well(before):
    drop_in = WORK / 'c/root/etc/sysctl.d/99-zzz.conf'
    drop_in.write_text('net.ipv4.tcp_congestion_control=reno\n')
    try:
        for arguments in ([], ['--check']):
            run = canary('--limit', 'c', *arguments)
            assert run.status != 0 and '99-zzz.conf' in run.text
            assert tune('c', 'status')['phase'] == 'idle'
        resolved = canary('--limit', 'c', unchoke_resolve=True)
        assert resolved.status == 0 and drop_in.read_text().startswith('#'), resolved.text
        tune('c', 'revert')
    finally:
        drop_in.unlink()


def test_what_is_not_accepted_is_not_confirmed(before):
    accept = WORK / 'accept.yml'
    accept.write_text("- ansible.builtin.assert:\n    that: inventory_hostname != 'b'\n")
    run = canary('--limit', 'a,b', unchoke_accept=str(accept), unchoke_timeout=60)
    assert run.status != 0 and run.stats['b']['failures'] == 1, run.text
    assert tune('a', 'status')['phase'] == 'kept'
    until('b has reverted itself', lambda: tune('b', 'status')['phase'] == 'idle')
    assert state('b') == before['b']


def test_what_cannot_be_made_to_last_is_reverted(before):
    """After the confirmation the files for the next boot cannot be written."""
    accept = WORK / 'accept.yml'
    accept.write_text('- ansible.builtin.command: {argv: [mount, --bind, -o, ro, /etc/sysctl.d, /etc/sysctl.d]}\n')
    run = canary('--limit', 'a', unchoke_accept=str(accept))
    on('a', 'umount', '/etc/sysctl.d')
    assert run.status != 0 and run.task('a', 'Confirm')['changed'], run.text
    assert run.task('a', 'Revert what was confirmed')['changed'], run.text
    assert tune('a', 'status')['phase'] == 'idle' and state('a') == before['a']


def test_somebody_elses_change_is_not_reverted_unless_by_force(before):
    on('d', PROGRAM, 'tune', 'apply', '--yes', '--remedy', 'bbr')
    with open(WORK / 'd/root/etc/sysctl.d/99-zz-unchoke.conf', 'a') as file:
        file.write('vm.swappiness = 10\n')
    for arguments in (['--check'], []):
        run = playbook('unchoke.net.revert', '--limit', 'd', *arguments)
        failed = run.task('d', 'Revert everything that unchoke changed')
        assert failed['refused'] and '99-zz-unchoke.conf' in failed['msg'], failed
    forced = playbook('unchoke.net.revert', '--limit', 'd', unchoke_force=True)
    assert forced.status == 0 and state('d') == before['d'], forced.text


def test_facts_and_a_survey(before):
    """A check of a real path from a managed host, and the plan for it."""
    server = subprocess.Popen([PROGRAM, 'serve', '--listen', '10.9.0.254:5201'], stdout=subprocess.DEVNULL)
    try:
        run = playbook('unchoke.net.survey', '--limit', 'b', unchoke_target='10.9.0.254')
    finally:
        server.terminate()
        server.wait()
    assert run.status == 0, run.text
    path, plan = run.task('b', 'Measure the path'), run.task('b', 'Plan for it')
    assert path['verdict'] == path['report']['verdict'] and path['record'] == plan['plan']['for']['record']
    assert state('b') == before['b'] and changed(run, 'b') == 0
    # Nobody serves any more.
    failed = playbook('unchoke.net.survey', '--limit', 'b', unchoke_target='10.9.0.254').task('b', 'Measure the path')
    assert 'connection refused' in failed['msg'], failed


@pytest.mark.skipif(not PACKAGE, reason='UNCHOKE_DEB names no package')
def test_the_package(before):
    """Installed from a file of the controller; check mode first, where there is nothing yet."""
    variables = dict(unchoke_package=PACKAGE, unchoke_executable='/usr/bin/unchoke')
    foreseen = canary('--limit', 'e', '--check', **variables)
    assert foreseen.status == 0 and changed(foreseen, 'e') > 0, foreseen.text
    assert not (WORK / 'e/root/usr/bin/unchoke').exists()
    run = canary('--limit', 'e', **variables)
    assert run.status == 0, run.text
    assert tune('e', 'status')['phase'] == 'kept' and (WORK / 'e/root/usr/bin/unchoke').exists()
    again = canary('--limit', 'e', **variables)
    assert again.status == 0 and changed(again, 'e') == 0, again.text
    # The package's own files are no part of what a tune reverts.
    tune('e', 'revert')
    on('e', 'dpkg', '--purge', 'unchoke')
