import type { OptionsFilter } from '@mantine/core'

let found: OptionsFilter | undefined

/** Loads how fields filter their options. The first screens have no such field. */
export async function loadOptionsFilter(): Promise<void> {
  found ??= (await import('./foundOptions.ts')).foundOptions
}

/** Filters the options of a field; shows all of them until the rules are loaded, which the shell does ahead. */
export const optionsFilter: OptionsFilter = (input) => found?.(input) ?? input.options
