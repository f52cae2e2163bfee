import { fileURLToPath } from 'node:url'
import type { Plugin } from 'vite'

const contract = fileURLToPath(new URL('../../contract/src/', import.meta.url))

/** An expression that only names or states something, so that nothing runs when it is read. */
const plain = new Set(['Literal', 'Identifier', 'ArrowFunctionExpression', 'FunctionExpression'])

/**
 * Lets the bundler drop schemas of the contract that the console does not use. Its modules only declare constants, which the
 * bundler cannot see: it keeps every call. Without this, each screen builds the schemas of all requests and answers of its area.
 */
export function pureContract(): Plugin {
  return {
    name: 'leitstand-pure-contract',
    apply: 'build',
    enforce: 'post',
    transform: {
      filter: { id: /\/contract\/src\// },
      handler(code, id) {
        if (!id.startsWith(contract)) return undefined
        const places: { start: number; end: number }[] = []
        for (const statement of this.parse(code).body) {
          const declaration = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
          if (declaration?.type === 'ExpressionStatement')
            this.error(`${id} does something while it is loaded`)
          if (declaration?.type !== 'VariableDeclaration') continue
          for (const { init } of declaration.declarations)
            if (init && !plain.has(init.type)) places.push(init as unknown as { start: number; end: number })
        }
        let marked = code
        for (const { start, end } of places.reverse())
          marked = `${marked.slice(0, start)}/* @__PURE__ */ (() => (${marked.slice(start, end)}))()${marked.slice(end)}`
        return { code: marked, map: null }
      },
    },
  }
}
