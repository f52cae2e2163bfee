export { helpFor } from './manual/context.ts'
