import { nothing } from '../nothing.ts'

export const nestedDashboard = nothing
