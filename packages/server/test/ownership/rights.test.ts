import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { handlers, operations, reachedFrom } from '../callGraph.ts'
import { readSchema } from './ownership.ts'
import { type Access, accessesOf } from './scan.ts'

/**
 * Cached rights end with the operation that changes them, because it states `changes: 'rights'`. The test
 * finds those operations in the sources: their handler reaches, call by call, a write to a table that rights
 * are read from.
 */

/** Tables that determine sign-in and permissions. */
const tablesOfRights = new Set([
  'account_modules',
  'accounts',
  'api_keys',
  'application_grants',
  'applications',
  'oauth_records',
  'roles',
  'scopes',
  'second_factors',
  'sessions',
  'user_access',
  'users',
])

/** Operations that write such a table without changing anything cached, with the reason. */
const unchanging: Readonly<Record<string, string>> = {
  'apikey.create': 'a new key is in no cache',
  'application.create': 'a new application is in no cache',
  'exchange.token': 'a new session is in no cache',
  'auth.impersonate': 'a new session is in no cache',
  'auth.look': 'a new session is in no cache',
  'auth.login': 'a new session is in no cache',
  'auth.verify': 'replaces the token of a session and forgets this one',
  'sso.confirm': 'a new session is in no cache',
  'tenant.setBulkLimit': 'a limit',
  'tenant.setCsvExportLimit': 'a limit',
  'tenant.setFileLimit': 'a limit',
  'tenant.setLimits': 'a limit',
  'tenant.setMailServer': 'a mail server',
  'tenant.setPasswordPolicy': 'asked for with the next password',
  'tenant.setRetention': 'a limit',
  'tenant.setTemplateLimits': 'a limit',
  'twofactor.renewCodes': 'codes are read from the table',
  'twofactor.setUp': 'a factor counts once it is confirmed',
  'user.acceptTerms': 'properties of a user',
  'user.unlock': 'lifts a lock; who may sign in and what they may do stays the same',
  'user.setProperties': 'properties of a user',
  'isfmAccessMgmt.activateLock':
    'a code of the second factor is used up; what the user may do stays the same',
  'bulk.update': 'devices have no scope of their own and nothing below them',
  'remote.synchronize': 'devices have no scope of their own and nothing below them',
  'virtualdevice.update': 'devices have no scope of their own and nothing below them',
}

/** Public links are cached by their feature, which drops them itself; no right of a user depends on them. */
const ofLinks = /^(sharing|dashboardSharing|shared)\./

/** Operations that declare it although no such write is found, with the reason. */
const unseen: Readonly<Record<string, string>> = {
  'digitaltwin.delete': 'the scope of a twin goes with it, by cascade',
  'oauth2Client.delete': 'the sessions of a provider go with it, by cascade',
  'oidcClient.delete': 'the sessions of a provider go with it, by cascade',
  'tenant.delete': 'what an account has is deleted by the features that own it',
}

const { schema } = readSchema()
const accesses = new Map<string, readonly Access[]>()
const accessesIn = (file: string) => {
  const known = accesses.get(file) ?? accessesOf(readFileSync(file, 'utf8'), schema)
  accesses.set(file, known)
  return known
}

function writesOf(operation: string): string[] {
  const handler = handlers.get(operation)
  const written = new Set<string>()
  for (const { file, lines } of handler ? reachedFrom(handler) : [])
    for (const { table, writes, line } of accessesIn(file))
      if (writes && line >= lines[0] && line <= lines[1] && tablesOfRights.has(table)) written.add(table)
  return [...written].sort()
}

const found = operations
  .filter(({ name }) => !ofLinks.test(name) && writesOf(name).length > 0)
  .map(({ name }) => name)
const stated = operations.filter(({ meta }) => meta.changes === 'rights').map(({ name }) => name)

test('every operation that writes a table of rights states it, or is in the list with a reason', () => {
  const silent = found.filter((name) => !stated.includes(name))
  expect(silent.sort()).toEqual(Object.keys(unchanging).sort())
})

test('no operation states it without a reason', () => {
  const alone = stated.filter((name) => !found.includes(name))
  expect(alone.sort()).toEqual(Object.keys(unseen).sort())
})

test('the search finds what each kind of change writes', () => {
  expect(writesOf('acl.updateRole')).toEqual(['roles'])
  expect(writesOf('user.updateAccess')).toEqual(['user_access', 'users'])
  expect(writesOf('module.set')).toEqual(['account_modules'])
  expect(writesOf('apikey.rotate')).toEqual(['api_keys'])
  // Its scope is moved by a hook, which the search does not follow.
  expect(writesOf('tenant.move')).toEqual(['accounts'])
  expect(writesOf('user.list')).toEqual([])
})
