export { duplicateByFile, duplicateTwin, synchronizeTwin } from './parts.ts'
