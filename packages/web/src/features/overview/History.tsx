/** The chart is only loaded when a history is opened. */
export { HistoryDialog as default } from '../twins/index.ts'
