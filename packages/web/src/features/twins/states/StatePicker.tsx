import { Stack, Text } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useQueries } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../../lib/api.ts'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { RemoveButton } from '../../../ui/forms/RemoveButton.tsx'
import classes from './states.module.css'
import { twinTitleOf } from './stateTitles.ts'
import { stateText } from './text.ts'

interface FindOptions {
  /** states of this twin or device are listed first */
  preferObjectId?: number
  category?: 'digitalTwin' | 'virtualDevice'
  /** states to exclude */
  without?: readonly number[]
  /** only these value types */
  valueTypes?: readonly string[]
}

interface PickerProps extends FindOptions {
  label: string
  description?: ReactNode
  placeholder?: string
  required?: boolean
  error?: ReactNode
  disabled?: boolean
}

/** Finds states by title, key or the title of their twin. */
async function findStates(search: string, options: FindOptions): Promise<{ value: string; label: string }[]> {
  const input = { limit: 30, ...(options.category ? { category: options.category } : {}) }
  const [own, others] = await Promise.all([
    options.preferObjectId === undefined
      ? []
      : client.state
          .search({ ...input, dtwinId: options.preferObjectId, ...(search ? { search } : {}) })
          .then(({ items }) => items),
    client.state.search({ ...input, ...(search ? { search } : {}) }).then(({ items }) => items),
  ])
  const all = new Map([...own, ...others].map((state) => [state.id, state]))
  return [...all.values()]
    .filter((state) => !options.without?.includes(state.id))
    .filter((state) => options.valueTypes?.includes(state.valueType) ?? true)
    .map((state) => ({
      value: String(state.id),
      label: `${state.twinTitle} › ${state.title}${state.unit ? ` [${state.unit}]` : ''}`,
    }))
}

/** Name of a selected state: `Raum 101 › Temperatur [°C]`. */
async function nameState(id: string): Promise<string> {
  const state = await client.state.get({ id: Number(id) })
  const title = await twinTitleOf(state.twinId)
  return `${title} › ${state.title}${state.unit ? ` [${state.unit}]` : ''}`
}

/** Picker for one state of any twin or device. */
export function StatePicker(
  props: PickerProps & { value: number | null; onChange: (id: number | null) => void },
) {
  const { value, onChange, preferObjectId, category, without, valueTypes, ...field } = props
  return (
    <EntityPicker
      {...field}
      value={value === null ? null : String(value)}
      onChange={(id) => onChange(id === null ? null : Number(id))}
      load={(search) => findStates(search, definedOf({ preferObjectId, category, without, valueTypes }))}
      labelOf={nameState}
    />
  )
}

/** Picker for several states: a search field, and below it the selected ones with their current value. */
export function StateMultiPicker(
  props: PickerProps & { value: readonly number[]; onChange: (ids: number[]) => void; max: number },
) {
  const { value, onChange, preferObjectId, category, without, valueTypes, max, ...field } = props
  const { t } = useTranslation()
  const taken = [...value, ...(without ?? [])]
  return (
    <Stack gap={8}>
      <EntityPicker
        key={value.length}
        {...field}
        value={null}
        disabled={value.length >= max}
        onChange={(id) => (id === null ? undefined : onChange([...value, Number(id)]))}
        load={(search) =>
          findStates(search, definedOf({ preferObjectId, category, without: taken, valueTypes }))
        }
      />
      {value.length === 0 ? null : (
        <ul className={classes.picked} aria-label={t('states.picked')}>
          <PickedStates ids={value} onRemove={(id) => onChange(value.filter((each) => each !== id))} />
        </ul>
      )}
    </Stack>
  )
}

function PickedStates({ ids, onRemove }: { ids: readonly number[]; onRemove: (id: number) => void }) {
  const { t } = useTranslation()
  const states = useQueries({
    queries: ids.map((id) => api.state.get.queryOptions({ input: { id }, staleTime: 30_000 })),
  })
  const names = useQueries({
    queries: ids.map((id) => ({
      queryKey: ['state-name', id],
      queryFn: () => nameState(String(id)),
      staleTime: 5 * 60_000,
    })),
  })
  return ids.map((id, index) => {
    const state = states[index]?.data
    const name = names[index]?.data ?? t('common.loading')
    return (
      <li key={id}>
        <span>{names[index]?.isError ? t('states.unreadable', { id }) : name}</span>
        {state ? (
          <Text span size="sm" c="dimmed" className="tabular">
            {stateText(state.value, state)}
          </Text>
        ) : null}
        <RemoveButton
          icon={IconX}
          size={24}
          label={t('states.removePicked', { name })}
          onClick={() => onRemove(id)}
        />
      </li>
    )
  })
}

/** Removes undefined entries, as exact optional properties require. */
function definedOf(options: { [Key in keyof FindOptions]: FindOptions[Key] | undefined }): FindOptions {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as FindOptions
}
