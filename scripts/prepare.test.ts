import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

describe('a clone whose node_modules leads elsewhere', () => {
  let folder = '';
  let clone = '';
  let other = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-prepare-'));
    clone = join(folder, 'clone');
    other = join(folder, 'other');
    mkdirSync(join(clone, 'scripts'), { recursive: true });
    mkdirSync(join(other, 'package'), { recursive: true });
    copyFileSync(join(import.meta.dirname, 'prepare.sh'), join(clone, 'scripts', 'prepare.sh'));
    // Stands for Node: whatever would be installed or built says so.
    writeFileSync(join(clone, 'scripts', 'node.sh'), 'echo "$*" >>"$(dirname "$0")/../ran"\n');
    writeFileSync(join(clone, 'package-lock.json'), '{"new": true}');
    writeFileSync(join(other, '.slipway-lock'), '{"old": true}');
    symlinkSync(other, join(clone, 'node_modules'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const prepare = () => spawnSync('sh', [join(clone, 'scripts', 'prepare.sh')], { encoding: 'utf8' });

  it('is told so, and nothing is installed there', () => {
    const { status, stdout, stderr } = prepare();
    expect([status, stdout]).toEqual([1, '']);
    expect(stderr).toContain('node_modules is a symbolic link');
    expect(stderr).toContain('rm node_modules');
    expect(readdirSync(other).sort()).toEqual(['.slipway-lock', 'package']);
    expect(lstatSync(join(clone, 'node_modules')).isSymbolicLink()).toBe(true);
    expect(readdirSync(clone).sort()).toEqual(['node_modules', 'package-lock.json', 'scripts']);
  });

  it('is installed as usual when the link is away', () => {
    rmSync(join(clone, 'node_modules'));
    mkdirSync(join(clone, 'node_modules'));
    expect(prepare().status).toBe(0);
    expect(existsSync(join(clone, 'node_modules', '.slipway-lock'))).toBe(true);
    expect(existsSync(join(clone, '.install-lock'))).toBe(false);
  });

  it('may stay as it is where nothing has to be installed', () => {
    copyFileSync(join(clone, 'package-lock.json'), join(other, '.slipway-lock'));
    expect(prepare().status).toBe(0);
    expect(readdirSync(other).sort()).toEqual(['.slipway-lock', 'package']);
  });
});
