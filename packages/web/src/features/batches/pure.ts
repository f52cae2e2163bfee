/** Functions for other features that load no screens and no client, so that plain code and its tests can use them. */
export { type ColumnChoice, type ColumnFields, columnFault, toColumns } from './columns.ts'
