// `npm run dev`: restarts the server when one of its files changes; the console reloads in the browser.
import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { checkNode, environment, installPackages, node, root } from './lib.mjs'

checkNode()
await installPackages()
const port = process.env.PORT ?? '8080'
const children = [
  spawn(node, ['--watch', '--watch-preserve-output', join(root, 'packages', 'server', 'src', 'main.ts')], {
    cwd: root,
    env: environment({ DEMO: process.env.DEMO ?? '0', CHECK_EVENTS: '1' }),
    stdio: 'inherit',
  }),
  spawn(node, [join(root, 'node_modules', 'vite', 'bin', 'vite.js')], {
    cwd: join(root, 'packages', 'web'),
    env: environment({ API_URL: process.env.API_URL ?? `http://127.0.0.1:${port}` }),
    stdio: 'inherit',
  }),
]
for (const signal of ['SIGINT', 'SIGTERM'])
  process.on(signal, () => {
    for (const child of children) child.kill('SIGTERM')
  })
for (const child of children) {
  child.on('exit', (code) => {
    process.exitCode ||= code ?? 0
    for (const other of children) other.kill('SIGTERM')
  })
}
