/** Looks of the maps that the console brings along and draws without any other server; the first is the default. */
export const builtInMapLayouts = ['plain', 'atlas'] as const
export type BuiltInMapLayout = (typeof builtInMapLayouts)[number]
