/** Pure functions about values, for features that must not load the screens with them. */
export { appendPoints } from './states/values.ts'
