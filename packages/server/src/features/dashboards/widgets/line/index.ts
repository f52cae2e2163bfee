import { timeChart } from '../timeChart.ts'

export const line = timeChart
