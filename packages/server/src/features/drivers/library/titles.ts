import type { Caller } from '../../../platform/http/caller.ts'
import { type LibraryDriver, libraryDrivers } from './index.ts'

type Titles = LibraryDriver['variables'][number]['title']

interface Named {
  key: string
  title: string
}

let known: ReadonlyMap<string, Titles> | undefined

/** The titles that built-in drivers give a variable; undefined for other variables. */
function builtInTitles(key: string): Titles | undefined {
  known ??= new Map(
    libraryDrivers().flatMap(({ variables }) => variables.map(({ key: name, title }) => [name, title])),
  )
  return known.get(key)
}

const hasBuiltInTitle = ({ key, title }: Named): boolean => {
  const titles = builtInTitles(key)
  return titles !== undefined && (titles.de === title || titles.en === title)
}

/** The title of a state as its reader sees it: in their language while it is the one of a built-in driver, else as it is. */
export function titleFor({ language }: Pick<Caller, 'language'>, state: Named): string {
  if (language === undefined || !hasBuiltInTitle(state)) return state.title
  return builtInTitles(state.key)?.[language] ?? state.title
}

/** A state with the title its reader sees. */
export function titledFor<S extends Named>(caller: Pick<Caller, 'language'>, state: S): S {
  return { ...state, title: titleFor(caller, state) }
}

/** The title to store: saving a built-in title in the other language is no renaming. */
export function titleToStore(before: Named, title: string): string {
  const isTranslation = hasBuiltInTitle(before) && hasBuiltInTitle({ key: before.key, title })
  return isTranslation ? before.title : title
}
