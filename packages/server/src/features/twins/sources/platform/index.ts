import { plain } from '../plain.ts'

export const platform = plain({ isSettable: true })
