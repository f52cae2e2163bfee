import { readdirSync, readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, join, resolve } from 'node:path'
import { contract } from '@leitstand/contract'
import type { OperationMeta } from '@leitstand/contract/common'
import { isContractProcedure } from '@orpc/contract'
import { type AnyNode, parse } from 'acorn'

/** The call graph of the features' sources: which functions an operation reaches. */

const features = resolve(import.meta.dirname, '..', 'src', 'features')

/** A named function and its references. */
export interface Unit {
  file: string
  /** the first and the last line */
  lines: readonly [number, number]
  /** plain names it uses: functions of the file and imported ones */
  names: Set<string>
  /** `object.name(`, as `object.name`; the object is `this` or a plain name */
  methods: Set<string>
}

interface Source {
  file: string
  functions: Map<string, Unit[]>
  /** local name → file and name there */
  imports: Map<string, { file: string; name: string }>
  /** variable or parameter → its type, from annotations and `new` */
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

/** A node's children, without names that are not references: property names, keys of objects and classes. */
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
  const lines = [root.loc?.start.line ?? 0, root.loc?.end.line ?? 0] as const
  const unit: Unit = { file, lines, names: new Set(), methods: new Set() }
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
  walk(parse(text, { ecmaVersion: 'latest', sourceType: 'module', locations: true }))
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

/** Functions of the same name in a file, such as methods of two classes, count as one. */
function noteFunction({ file, functions }: Source, node: AnyNode): void {
  const [name, body] = namedPart(node)
  if (name === undefined || !body) return
  const unit = unitOf(file, body)
  functions.set(name, [...(functions.get(name) ?? []), unit])
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
/** The handler of each operation, by `key.name`. */
export const handlers: ReadonlyMap<string, Unit> = new Map(
  [...sources.values()].flatMap((source) => [...source.handlers]),
)

/**
 * Resolves a name in a file: to a function of it, or of the file it is imported from, through any number of
 * re-exports.
 */
function find(file: string, name: string, seen = new Set<string>()): Unit[] {
  const source = sources.get(file)
  if (!source || seen.has(file)) return []
  // A private method may have the name of an imported function.
  const own = source.functions.get(name) ?? []
  const imported = source.imports.get(name)
  return imported ? [...own, ...find(imported.file, imported.name, seen.add(file))] : own
}

/** The files in which a class is declared. */
const classFiles = new Map<string, string>()
for (const file of sources.keys())
  for (const [, name = ''] of readFileSync(file, 'utf8').matchAll(/^(?:export )?class (\w+)/gm))
    classFiles.set(name, file)

/** Resolves `object.name` in a file: to a method of its own class, or of the object's declared class. */
function findMethod(file: string, called: string): Unit[] {
  const [object = '', name = ''] = called.split('.')
  if (object === 'this') return sources.get(file)?.functions.get(name) ?? []
  const type = sources.get(file)?.types.get(object)
  if (type === undefined) return []
  // The type is a class, or the object is a function's return value.
  const owner = classFiles.get(type) ?? find(file, type)[0]?.file
  return (owner === undefined ? undefined : sources.get(owner)?.functions.get(name)) ?? []
}

/** Everything a function reaches, call by call, including itself. */
export function* reachedFrom(start: Unit): Generator<Unit> {
  const seen = new Set<Unit>([start])
  const waiting = [start]
  for (let unit = waiting.pop(); unit; unit = waiting.pop()) {
    yield unit
    const { file, names, methods } = unit
    const called = [...names].flatMap((name) => find(file, name))
    for (const next of [...called, ...[...methods].flatMap((name) => findMethod(file, name))]) {
      if (seen.has(next)) continue
      seen.add(next)
      waiting.push(next)
    }
  }
}

export interface Operation {
  name: string
  method: string
  meta: OperationMeta
}

/** Every operation of the contract. */
export const operations: readonly Operation[] = operationsOf(contract)

function operationsOf(router: object, path: string[] = []): Operation[] {
  return Object.entries(router).flatMap(([key, entry]: [string, object]) => {
    const here = [...path, key]
    if (!isContractProcedure(entry)) return operationsOf(entry, here)
    const { route, meta } = entry['~orpc']
    return [{ name: here.join('.'), method: route.method ?? '', meta: meta as OperationMeta }]
  })
}
