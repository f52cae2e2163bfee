import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { contract } from '@leitstand/contract'
import { isContractProcedure } from '@orpc/contract'
import { type AnyNode, parse } from 'acorn'
import { expect, test } from 'vitest'

/**
 * Every operation that changes something says so in the activity log: from its handler a way leads, call by call, to
 * `recordActivity`. Found in the source, so that a new operation is asked the day it is written; that the entry is
 * right is what the tests of the features see.
 */

/** Operations that are no GET and yet leave no entry, with the reason. */
const unrecorded: Readonly<Record<string, string>> = {
  'acl.checkAccess': 'asks only',
  'bridge.validate': 'asks only',
  'bulk.preview': 'asks only',
  'bulk.selection': 'asks only',
  'bulk.upload': 'kept for a day for nobody else; the import of the file records it',
  'dashboards.dataByDefinition': 'asks only',
  'ddr.testConditions': 'asks only',
  'decoding.preview': 'asks only',
  'dispatcher.parse': 'asks only',
  'dispatcher.parseOfType': 'asks only',
  'favorite.create': 'what people set for themselves alone',
  'favorite.delete': 'what people set for themselves alone',
  'oauth2Client.validate': 'asks only',
  'oidcClient.validate': 'asks only',
  'password.forgot': 'answers before it looks for the user; the job that sends the link records it',
  'series.postgresFetch': 'asks only',
  'series.search': 'asks only',
  'series.searchAggregated': 'asks only',
  'state.aggregateValue': 'asks only',
  'state.checkForAggregateLoop': 'asks only',
  'twofactor.setUp': 'nothing counts before `enable`, which records it',
  'user.setProperties': 'what people set for themselves alone',
  'user.validate': 'asks only',
  'virtualdevice.statistics': 'asks only',
}

const features = resolve(import.meta.dirname, '..', '..', 'features')

/** A function with a name: what it refers to. */
interface Unit {
  file: string
  /** plain names it mentions, functions of the file and imported ones */
  names: Set<string>
  /** `object.name(`, as `object.name`; the object is `this` or a plain name */
  methods: Set<string>
}

interface Source {
  file: string
  functions: Map<string, Unit>
  /** local name → file and name there */
  imports: Map<string, { file: string; name: string }>
  /** variable or parameter → its type, as annotations and `new` say */
  types: Map<string, string>
  handlers: Map<string, Unit>
}

function* filesIn(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) yield* filesIn(path)
    else if (path.endsWith('.ts') && !path.endsWith('.test.ts')) yield path
  }
}

/** The nodes below one, without names that refer to nothing: properties that are read, keys of objects and classes. */
function childrenOf(node: AnyNode): AnyNode[] {
  const isNamed =
    node.type === 'MemberExpression' || node.type === 'Property' || node.type === 'MethodDefinition'
  return Object.entries(node).flatMap(([key, value]: [string, unknown]) => {
    if (isNamed && !node.computed && (key === 'property' || key === 'key')) return []
    return (Array.isArray(value) ? value : [value]).filter(
      (one): one is AnyNode => typeof one === 'object' && one !== null && 'type' in one,
    )
  })
}

function unitOf(file: string, root: AnyNode): Unit {
  const unit: Unit = { file, names: new Set(), methods: new Set() }
  const walk = (node: AnyNode) => {
    if (node.type === 'Identifier') unit.names.add(node.name)
    if (node.type === 'MemberExpression' && node.property.type !== 'Literal') {
      const { object, property } = node
      const owner =
        object.type === 'Identifier' ? object.name : object.type === 'ThisExpression' ? 'this' : ''
      if (owner && (property.type === 'Identifier' || property.type === 'PrivateIdentifier'))
        unit.methods.add(`${owner}.${property.name}`)
    }
    childrenOf(node).forEach(walk)
  }
  walk(root)
  return unit
}

/** `os.user.create.handler` → `user.create` */
function operationOf(node: AnyNode): string | undefined {
  const names: string[] = []
  let at = node
  while (at.type === 'MemberExpression' && at.property.type === 'Identifier') {
    names.unshift(at.property.name)
    at = at.object
  }
  if (at.type !== 'Identifier' || at.name !== 'os' || names.pop() !== 'handler') return undefined
  return names.join('.')
}

function read(file: string): Source {
  const typed = readFileSync(file, 'utf8')
  const text = stripTypeScriptTypes(typed)
  const annotations = [...typed.matchAll(/\b(\w+)\??: (?:Pick<|readonly )?([A-Z]\w+)/g)]
  const made = [...typed.matchAll(/(?:const )?(\w+)(?: = new |: ReturnType<typeof | = )(\w+)[(>]/g)]
  const types = new Map([...annotations, ...made].map(([, name = '', type = '']) => [name, type]))
  const source: Source = { file, types, functions: new Map(), imports: new Map(), handlers: new Map() }
  const walk = (node: AnyNode) => {
    noteImports(source, node)
    noteFunction(source, node)
    if (node.type === 'CallExpression') {
      const name = operationOf(node.callee)
      const body = node.arguments[0]
      if (name !== undefined && body) source.handlers.set(name, unitOf(file, body))
    }
    childrenOf(node).forEach(walk)
  }
  walk(parse(text, { ecmaVersion: 'latest', sourceType: 'module' }))
  return source
}

function noteImports(source: Source, node: AnyNode): void {
  const isHandedOn = node.type === 'ExportNamedDeclaration' && node.source
  if (node.type !== 'ImportDeclaration' && !isHandedOn) return
  if (!String(node.source?.value).startsWith('.')) return
  const file = resolve(dirname(source.file), String(node.source?.value))
  for (const one of node.specifiers) {
    const [here, there] =
      one.type === 'ImportSpecifier'
        ? [one.local, one.imported]
        : one.type === 'ExportSpecifier'
          ? [one.exported, one.local]
          : []
    if (here?.type === 'Identifier' && there?.type === 'Identifier')
      source.imports.set(here.name, { file, name: there.name })
  }
}

/** Two of one name in a file, such as methods of two classes, count as one. */
function noteFunction({ file, functions }: Source, node: AnyNode): void {
  const [name, body] = namedPart(node)
  if (name === undefined || !body) return
  const unit = unitOf(file, body)
  const known = functions.get(name)
  for (const each of known?.names ?? []) unit.names.add(each)
  for (const each of known?.methods ?? []) unit.methods.add(each)
  functions.set(name, unit)
}

function namedPart(node: AnyNode): [string, AnyNode] | [] {
  if (node.type === 'FunctionDeclaration' && node.id) return [node.id.name, node.body]
  if (node.type === 'VariableDeclarator' && node.id.type === 'Identifier')
    return node.init?.type === 'ArrowFunctionExpression' ? [node.id.name, node.init] : []
  const isMethod = node.type === 'Property' && /Function/.test(node.value.type)
  if (isMethod || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition') {
    const { key, value } = node
    return value && (key.type === 'Identifier' || key.type === 'PrivateIdentifier') ? [key.name, value] : []
  }
  return []
}

const sources = new Map([...filesIn(features)].map((file) => [file, read(file)]))
const handlers = new Map([...sources.values()].flatMap((source) => [...source.handlers]))

/** What a name means in a file: a function of it, or of the file it is imported from, however often handed on. */
function find(file: string, name: string, seen = new Set<string>()): Unit | undefined {
  const source = sources.get(file)
  if (!source || seen.has(file)) return undefined
  const own = source.functions.get(name)
  if (own) return own
  const imported = source.imports.get(name)
  return imported && find(imported.file, imported.name, seen.add(file))
}

/** The files in which a class is declared. */
const classFiles = new Map<string, string>()
for (const file of sources.keys())
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^(?:export )?class (\w+)/gm))
    classFiles.set(name, file)

/** What `object.name` means in a file: a method of its own class, or of the class the object is said to be. */
function findMethod(file: string, called: string): Unit | undefined {
  const [object = '', name = ''] = called.split('.')
  if (object === 'this') return sources.get(file)?.functions.get(name)
  const type = sources.get(file)?.types.get(object)
  if (type === undefined) return undefined
  // The type is a class, or the object is what a function has made.
  const owner = classFiles.get(type) ?? find(file, type)?.file
  return owner === undefined ? undefined : sources.get(owner)?.functions.get(name)
}

/** Whether a way leads to an entry; `jobs.create` writes one with each background job (`features/jobs`). */
function isRecorded(start: Unit): boolean {
  const seen = new Set<Unit>([start])
  const waiting = [start]
  for (let unit = waiting.pop(); unit; unit = waiting.pop()) {
    const { names: used, methods: asked } = unit
    if (used.has('recordActivity') || used.has('recordActivities') || asked.has('jobs.create')) return true
    const { file, names, methods } = unit
    const called = [...names].map((name) => find(file, name))
    for (const next of [...called, ...[...methods].map((name) => findMethod(file, name))]) {
      if (!next || seen.has(next)) continue
      seen.add(next)
      waiting.push(next)
    }
  }
  return false
}

function operationsOf(router: object, path: string[] = []): { name: string; method: string }[] {
  return Object.entries(router).flatMap(([key, entry]: [string, object]) => {
    const here = [...path, key]
    if (!isContractProcedure(entry)) return operationsOf(entry, here)
    return [{ name: here.join('.'), method: entry['~orpc'].route.method ?? '' }]
  })
}

const writing = operationsOf(contract).filter(({ method }) => method !== 'GET')

test('every writing operation records what it does, or stands in the list with a reason', () => {
  const silent = writing.filter(({ name }) => {
    const handler = handlers.get(name)
    return handler === undefined || !isRecorded(handler)
  })
  expect(silent.map(({ name }) => name).sort()).toEqual(Object.keys(unrecorded).sort())
})

test('the search for it tells one that records from one that does not', () => {
  const recorded = (name: string) => {
    const handler = handlers.get(name)
    return handler !== undefined && isRecorded(handler)
  }
  expect(
    ['tenant.update', 'acl.deleteRole', 'user.create', 'virtualdevice.update'].filter(recorded),
  ).toHaveLength(4)
  // Reading ones lead nowhere near it.
  expect(['acl.listRules', 'favorite.list', 'user.list', 'tenant.fetchAll'].filter(recorded)).toEqual([])
})
