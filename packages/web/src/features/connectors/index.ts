/** Exports for later features and `app/slots.ts`. */
export { diagnosisTab } from './parts.ts'
export { SendHint } from './SendHint.tsx'
