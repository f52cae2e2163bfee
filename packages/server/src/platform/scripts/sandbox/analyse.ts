/** Static analysis of a script: names written outside of its functions, and hints for the author. */
import { type Node, parse } from 'acorn'

export interface Analysis {
  /** Outer variables that functions assign or mutate: state that would outlive a call. */
  readonly writes: readonly string[]
  /** Names that are assigned but never declared. */
  readonly implicit: readonly string[]
  /** Undeclared names that are read. */
  readonly free: ReadonlySet<string>
  /** Whether functions change objects that the script did not create itself, such as `Math`. */
  readonly changesGlobals: boolean
  readonly returns: boolean
  readonly async: boolean
}

interface Scope {
  readonly names: Set<string>
  readonly parent: Scope | null
  readonly isFunction: boolean
}

interface Findings {
  readonly writes: Set<string>
  readonly implicit: Set<string>
  readonly free: Set<string>
  changesGlobals: boolean
  returns: boolean
  async: boolean
}

/** acorn's nodes are a large union; the walk below is generic, so it treats them as records. */
type AnyNode = Node & Readonly<Record<string, unknown>>

const MUTATORS = new Set(
  'push pop shift unshift splice sort reverse fill copyWithin set add delete clear write'.split(' '),
)

function isNode(value: unknown): value is AnyNode {
  return typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
}

function children(node: AnyNode): AnyNode[] {
  const found: AnyNode[] = []
  for (const [key, value] of Object.entries(node)) {
    if (skipsChild(node, key)) continue
    if (isNode(value)) found.push(value)
    else if (Array.isArray(value)) for (const item of value) if (isNode(item)) found.push(item)
  }
  return found
}

/** Property names are not variables: `a.b`, `{ b: 1 }`, labels. */
function skipsChild(node: AnyNode, key: string): boolean {
  if (key === 'label') return true
  if (node.type === 'MemberExpression') return key === 'property' && node.computed !== true
  if (node.type === 'Property' || node.type === 'MethodDefinition' || node.type === 'PropertyDefinition')
    return key === 'key' && node.computed !== true
  return false
}

function patternNames(pattern: unknown, into: Set<string>): void {
  if (!isNode(pattern)) return
  if (pattern.type === 'Identifier') into.add(String(pattern.name))
  else if (pattern.type === 'AssignmentPattern') patternNames(pattern.left, into)
  else if (pattern.type === 'RestElement') patternNames(pattern.argument, into)
  else if (pattern.type === 'Property') patternNames(pattern.value, into)
  else for (const child of children(pattern)) patternNames(child, into)
}

function isFunction(node: AnyNode): boolean {
  return /^(FunctionDeclaration|FunctionExpression|ArrowFunctionExpression)$/.test(node.type)
}

/** Declares the names of this scope: `var` is hoisted to the function, the rest stays in its block. */
function declare(node: AnyNode, scope: Scope, functionScope: Scope): void {
  if (node.type === 'VariableDeclaration') {
    const target = node.kind === 'var' ? functionScope : scope
    for (const declarator of node.declarations as AnyNode[]) patternNames(declarator.id, target.names)
  } else if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') {
    patternNames(node.id, node.type === 'FunctionDeclaration' ? functionScope.names : scope.names)
  }
}

/** Names of the whole function first, because they are visible above their declaration. */
function hoist(node: AnyNode, scope: Scope, functionScope: Scope): void {
  for (const child of children(node)) {
    declare(child, scope, functionScope)
    if (isFunction(child)) continue
    const opensBlock = /^(BlockStatement|For\w*Statement|SwitchStatement|CatchClause)$/.test(child.type)
    // Only `var` and functions are hoisted out of inner blocks; their own names are declared when they are walked.
    hoist(child, opensBlock ? { names: new Set(), parent: null, isFunction: false } : scope, functionScope)
  }
}

function rootOf(node: unknown): AnyNode | undefined {
  let current = node
  while (isNode(current) && current.type === 'MemberExpression') current = current.object
  return isNode(current) && current.type === 'Identifier' ? current : undefined
}

class Walk {
  readonly findings: Findings = {
    writes: new Set(),
    implicit: new Set(),
    free: new Set(),
    changesGlobals: false,
    returns: false,
    async: false,
  }

  program(root: AnyNode): void {
    const scope: Scope = { names: new Set(), parent: null, isFunction: true }
    hoist(root, scope, scope)
    for (const child of children(root)) this.visit(child, scope)
  }

  private inside(scope: Scope): boolean {
    for (let s: Scope | null = scope; s !== null; s = s.parent) if (s.isFunction && s.parent) return true
    return false
  }

  private resolve(name: string, scope: Scope): 'local' | 'module' | 'free' {
    for (let s: Scope | null = scope; s !== null; s = s.parent)
      if (s.names.has(name)) return s.parent === null ? 'module' : 'local'
    return 'free'
  }

  private assigned(name: string, scope: Scope): void {
    const where = this.resolve(name, scope)
    if (where === 'free') this.findings.implicit.add(name)
    if (where === 'module' && this.inside(scope)) this.findings.writes.add(name)
  }

  private changed(target: unknown, scope: Scope): void {
    const root = rootOf(target)
    if (root === undefined || !this.inside(scope)) return
    const name = String(root.name)
    if (name === 'module' || name === 'exports') return
    const where = this.resolve(name, scope)
    if (where === 'module') this.findings.writes.add(name)
    if (where === 'free') this.findings.changesGlobals = true
  }

  private written(target: unknown, scope: Scope): void {
    if (!isNode(target)) return
    if (target.type === 'MemberExpression') {
      this.changed(target, scope)
      return
    }
    const names = new Set<string>()
    patternNames(target, names)
    for (const name of names) this.assigned(name, scope)
  }

  private enterFunction(node: AnyNode, scope: Scope): void {
    const inner: Scope = { names: new Set(['arguments']), parent: scope, isFunction: true }
    for (const parameter of node.params as AnyNode[]) patternNames(parameter, inner.names)
    if (node.type === 'FunctionExpression') patternNames(node.id, inner.names)
    if (node.async === true) this.findings.async = true
    hoist({ type: 'Program', start: 0, end: 0, body: node.body } as unknown as AnyNode, inner, inner)
    for (const child of children(node)) this.visit(child, inner)
  }

  private note(node: AnyNode, scope: Scope): void {
    switch (node.type) {
      case 'AssignmentExpression':
        this.written(node.left, scope)
        break
      case 'UpdateExpression':
        this.written(node.argument, scope)
        break
      case 'UnaryExpression':
        if (node.operator === 'delete') this.changed(node.argument, scope)
        break
      case 'ForInStatement':
      case 'ForOfStatement':
        if (isNode(node.left) && node.left.type !== 'VariableDeclaration') this.written(node.left, scope)
        break
      case 'CallExpression': {
        const callee = node.callee as AnyNode
        const method = callee.type === 'MemberExpression' ? (callee.property as AnyNode).name : undefined
        if (typeof method === 'string' && MUTATORS.has(method)) this.changed(callee.object, scope)
        break
      }
      case 'Identifier':
        if (this.resolve(String(node.name), scope) === 'free') this.findings.free.add(String(node.name))
        break
      case 'ReturnStatement':
        if (!this.inside(scope)) this.findings.returns = true
        break
    }
  }

  visit(node: AnyNode, scope: Scope): void {
    this.note(node, scope)
    if (isFunction(node)) {
      this.enterFunction(node, scope)
      return
    }
    let inner = scope
    if (/^(BlockStatement|For\w*Statement|SwitchStatement|CatchClause)$/.test(node.type)) {
      inner = { names: new Set(), parent: scope, isFunction: false }
      if (node.type === 'CatchClause') patternNames(node.param, inner.names)
      const own =
        node.type === 'SwitchStatement' ? (node.cases as AnyNode[]).flatMap(children) : children(node)
      for (const child of own)
        if (
          child.type === 'ClassDeclaration' ||
          (child.type === 'VariableDeclaration' && child.kind !== 'var')
        )
          declare(child, inner, inner)
    }
    for (const child of children(node)) this.visit(child, inner)
  }
}

/**
 * Analyses a script. `undefined` where acorn fails (nested too deep, or syntax that only V8 knows): the
 * caller then assumes the worst.
 */
export function analyse(source: string): Analysis | undefined {
  const walk = new Walk()
  try {
    const root = parse(source, {
      ecmaVersion: 'latest',
      sourceType: 'script',
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: false,
    })
    walk.program(root as unknown as AnyNode)
  } catch {
    return undefined
  }
  const { writes, implicit, ...rest } = walk.findings
  return { writes: [...writes, ...implicit].sort(), implicit: [...implicit], ...rest }
}

const RESERVED = new Set(
  (
    'await break case catch class const continue debugger default delete do else enum export extends false finally ' +
    'for function if implements import in instanceof interface let new null package private protected public return ' +
    'static super switch this throw true try typeof var void while with yield arguments eval variables metrics meta'
  ).split(' '),
)

/** Whether a name can be a parameter of a script's function. */
export function isIdentifier(name: string): boolean {
  return /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u.test(name) && !RESERVED.has(name)
}
