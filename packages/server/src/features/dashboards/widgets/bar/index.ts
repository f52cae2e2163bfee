import { timeChart } from '../timeChart.ts'

export const bar = timeChart
