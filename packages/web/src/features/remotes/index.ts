/** Exports for later features and `app/slots.ts`. */
export { synchronize } from './parts.ts'
export { RemoteButton } from './RemoteButton.tsx'
