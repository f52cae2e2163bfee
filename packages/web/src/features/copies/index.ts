export { duplicateTwin, synchronizeTwin } from './parts.ts'
