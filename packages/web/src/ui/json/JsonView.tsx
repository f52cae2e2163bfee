import { ActionIcon, Group, TextInput, Tooltip } from '@mantine/core'
import { IconChevronRight, IconFold, IconSearch } from '@tabler/icons-react'
import { useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../display/CopyButton.tsx'
import { Icon } from '../display/Icon.tsx'
import classes from './json.module.css'
import { foldersOf, matchingPaths } from './tree.ts'

/** Maximum rendered entries of one object or list; the copy button copies all. */
const entriesMax = 200

interface JsonViewProps {
  value: unknown
  /** Initially expanded levels; default 2. */
  openLevels?: number
  /** CSS height; default: as tall as needed up to 420px. */
  height?: string
  /** Hides search and buttons, for small values. */
  plain?: boolean
}

/** JSON as a collapsible tree with search (keys and values) and a copy button. */
export function JsonView({ value, openLevels = 2, height, plain = false }: JsonViewProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [flipped, setFlipped] = useState<ReadonlySet<string>>(new Set())
  const hits = useMemo(() => (text.trim() === '' ? null : matchingPaths(value, text.trim())), [value, text])
  const isOpen = (path: string, depth: number) =>
    hits?.open.has(path) ? true : depth < openLevels !== flipped.has(path)
  const toggle = (path: string) =>
    setFlipped((before) => {
      const after = new Set(before)
      if (!after.delete(path)) after.add(path)
      return after
    })
  const foldAll = () => setFlipped(new Set(foldersOf(value, openLevels)))
  return (
    <div className={classes.box}>
      {plain ? null : (
        <Group gap={4} className={classes.bar} wrap="nowrap">
          <TextInput
            size="xs"
            variant="unstyled"
            style={{ flex: 1 }}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
            placeholder={t('json.search')}
            aria-label={t('json.search')}
            leftSection={<Icon of={IconSearch} size={14} />}
          />
          <Tooltip label={t(flipped.size > 0 ? 'json.expandAll' : 'json.collapseAll')}>
            <ActionIcon
              size={24}
              aria-label={t(flipped.size > 0 ? 'json.expandAll' : 'json.collapseAll')}
              onClick={() => (flipped.size > 0 ? setFlipped(new Set()) : foldAll())}
            >
              <Icon of={IconFold} size={15} />
            </ActionIcon>
          </Tooltip>
          <CopyButton value={JSON.stringify(value, null, 2) ?? ''} label={t('json.copy')} />
        </Group>
      )}
      <div className={classes.tree} style={height ? { height } : { maxHeight: 420 }}>
        <Node
          name={null}
          value={value}
          path="$"
          depth={0}
          isOpen={isOpen}
          toggle={toggle}
          hits={hits?.exact ?? null}
        />
      </div>
    </div>
  )
}

interface NodeProps {
  name: string | null
  value: unknown
  path: string
  depth: number
  isOpen: (path: string, depth: number) => boolean
  toggle: (path: string) => void
  hits: ReadonlySet<string> | null
}

function Node(props: NodeProps) {
  const { name, value, path, depth, isOpen, toggle, hits } = props
  const { t } = useTranslation()
  const label = name === null ? null : <span className={classes.key}>{name}</span>
  if (typeof value !== 'object' || value === null) {
    return (
      <div
        className={classes.line}
        data-hit={hits?.has(path) || undefined}
        style={{ paddingLeft: depth * 16 + 18 }}
      >
        {label}
        {label ? ': ' : null}
        <span className={classes[typeof value === 'object' ? 'null' : typeof value] ?? ''}>
          {JSON.stringify(value) ?? 'undefined'}
        </span>
      </div>
    )
  }
  const entries = Array.isArray(value)
    ? value.map((each, index) => [String(index), each] as const)
    : Object.entries(value)
  const open = isOpen(path, depth)
  const [left, right] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return (
    <>
      <div
        className={classes.line}
        data-hit={hits?.has(path) || undefined}
        style={{ paddingLeft: depth * 16 }}
      >
        <button
          type="button"
          className={classes.fold}
          data-open={open || undefined}
          aria-expanded={open}
          aria-label={t('json.toggle', { name: name ?? 'JSON' })}
          onClick={() => toggle(path)}
        >
          <Icon of={IconChevronRight} size={13} />
        </button>
        {label}
        {label ? ': ' : null}
        {open ? (
          left
        ) : (
          <span
            className={classes.folded}
          >{`${left} ${t('json.items', { count: entries.length })} ${right}`}</span>
        )}
      </div>
      {open ? (
        <>
          {entries.slice(0, entriesMax).map(([key, child]) => (
            <Node {...props} key={key} name={key} value={child} path={`${path}.${key}`} depth={depth + 1} />
          ))}
          {entries.length > entriesMax ? (
            <div className={classes.folded} style={{ paddingLeft: depth * 16 + 34 }}>
              {t('json.cut', { count: entriesMax })}
            </div>
          ) : null}
          <div className={classes.line} style={{ paddingLeft: depth * 16 + 18 }}>
            {right}
          </div>
        </>
      ) : null}
    </>
  )
}
