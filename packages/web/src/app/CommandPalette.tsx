import { Loader, Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useStore } from '../lib/store.ts'
import { Icon } from '../ui/display/Icon.tsx'
import classes from './palette.module.css'
import { matching, ranked } from './palette.ts'
import {
  type Entry,
  useActionEntries,
  useFoundEntries,
  useRecentEntries,
  useScreenEntries,
} from './paletteEntries.ts'
import { closePalette, paletteStore, setEntered, stopKeeping, typeIntoPalette } from './paletteState.ts'

/** Entries shown before anything is typed, by group, and then at most. */
const recentMax = 6
const shownMax = 30
/** Enter waits this long for results that are still on their way. */
const patienceMs = 3_000

interface Group {
  title: string | undefined
  entries: readonly Entry[]
}

/** The command palette (Ctrl/Cmd+K): things by name or id, screens and actions. Enter takes the first. */
export default function CommandPalette() {
  const { opened } = useStore(paletteStore)
  return (
    <Modal
      opened={opened}
      onClose={closePalette}
      withCloseButton={false}
      size={600}
      padding={0}
      radius={12}
      yOffset="8vh"
      transitionProps={{ duration: 0 }}
      overlayProps={{ backgroundOpacity: 0.4, blur: 0 }}
    >
      <Palette />
    </Modal>
  )
}

function Palette() {
  const { t } = useTranslation()
  const list = useId()
  const { query, entered } = useStore(paletteStore)
  const { groups, isSearching } = useGroups(query.trim())
  const entries = groups.flatMap((group) => group.entries)
  const [chosen, setChosen] = useState<{ query: string; id: string } | null>(null)
  // What was chosen with the arrow keys stays chosen while results arrive; a new query starts at the top.
  const current = entries.find(({ id }) => chosen?.query === query && chosen.id === id) ?? entries[0]
  const run = (entry: Entry) => {
    closePalette()
    entry.run()
  }

  useEffect(() => {
    if (!entered || isSearching) return
    setEntered(false)
    if (current) run(current)
  })
  useEffect(() => {
    if (!entered) return
    const timer = setTimeout(() => {
      setEntered(false)
      if (current) run(current)
    }, patienceMs)
    return () => clearTimeout(timer)
  })
  useEffect(() => {
    if (current) document.getElementById(optionId(list, current))?.scrollIntoView({ block: 'nearest' })
  }, [list, current])

  const onKeyDown = (event: KeyboardEvent) => {
    const at = current ? entries.indexOf(current) : -1
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (event.key === 'Enter' && !event.nativeEvent.isComposing) {
      if (chosen?.query === query && current) run(current)
      else setEntered(true)
    } else if (step !== undefined && entries.length > 0) {
      const next = entries[(at + step + entries.length) % entries.length]
      if (next) setChosen({ query, id: next.id })
    } else return
    event.preventDefault()
  }

  return (
    <>
      <div className={classes.head}>
        <Icon of={IconSearch} />
        <input
          data-autofocus
          className={classes.field}
          role="combobox"
          aria-expanded
          aria-autocomplete="list"
          aria-controls={list}
          aria-activedescendant={current && optionId(list, current)}
          aria-label={t('palette.open')}
          placeholder={t('palette.placeholder')}
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          value={query}
          onFocus={stopKeeping}
          onChange={(event) => typeIntoPalette(event.currentTarget.value)}
          onKeyDown={onKeyDown}
        />
        {isSearching ? <Loader size={14} /> : null}
      </div>
      <div id={list} role="listbox" aria-label={t('palette.open')} className={classes.list}>
        {groups.map(({ title, entries: ofGroup }) => (
          <fieldset key={title ?? ''} className={classes.group} aria-label={title ?? t('palette.things')}>
            {title ? <div className={classes.title}>{title}</div> : null}
            {ofGroup.map((entry) => (
              <Option
                key={entry.id}
                id={optionId(list, entry)}
                entry={entry}
                isSelected={entry === current}
                onRun={run}
              />
            ))}
          </fieldset>
        ))}
      </div>
      {entries.length === 0 ? (
        <div className={classes.nothing} role="status">
          {isSearching ? t('common.loading') : t('palette.nothing', { query })}
        </div>
      ) : null}
    </>
  )
}

function optionId(list: string, entry: Entry): string {
  return `${list}-${entry.id}`
}

function Option({
  id,
  entry,
  isSelected,
  onRun,
}: {
  id: string
  entry: Entry
  isSelected: boolean
  onRun: (entry: Entry) => void
}) {
  return (
    <button
      type="button"
      id={id}
      role="option"
      // The field keeps the focus and names the selected option.
      tabIndex={-1}
      aria-selected={isSelected}
      className={classes.option}
      onClick={() => onRun(entry)}
    >
      <Icon of={entry.icon} />
      <span className={classes.label}>{entry.label}</span>
      <span className={classes.description}>{entry.description}</span>
    </button>
  )
}

/** What is offered: before anything is typed by kind, then all that is found, the best first. */
function useGroups(query: string): { groups: Group[]; isSearching: boolean } {
  const { t } = useTranslation()
  const recent = useRecentEntries()
  const screens = useScreenEntries()
  const actions = useActionEntries()
  const [settled] = useDebouncedValue(query, 120)
  const found = useFoundEntries(query === '' ? '' : settled)
  if (query === '') {
    const groups = [
      { title: t('palette.recent'), entries: recent.slice(0, recentMax) },
      { title: t('palette.actions'), entries: actions },
      { title: t('palette.screens'), entries: screens },
    ]
    return { groups: groups.filter(({ entries }) => entries.length > 0), isSearching: false }
  }
  // While results of a longer query are on their way, those of the shorter one are narrowed here.
  const things = settled === query ? found.entries : matching(found.entries, query)
  const opened = new Set(things.map(({ id }) => id))
  const others = matching([...recent.filter(({ id }) => !opened.has(id)), ...screens, ...actions], query)
  const paths = recent.map(({ path }) => path ?? '')
  const entries = ranked([...things, ...others], query, paths).slice(0, shownMax)
  return {
    groups: entries.length > 0 ? [{ title: undefined, entries }] : [],
    isSearching: settled !== query || found.isSearching,
  }
}
