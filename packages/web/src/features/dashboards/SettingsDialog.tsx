import { type Dashboard, NewDashboard } from '@leitstand/contract/dashboards'
import { timeRanges } from '@leitstand/contract/timeRanges'
import { Button, Group, Modal, Select, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { isPreset } from '../../lib/range.ts'
import { check } from '../../lib/validation.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { EntityPicker } from '../../ui/forms/EntityPicker.tsx'
import { focusFirstFault } from '../../ui/forms/focusFirstFault.ts'
import { RemoveButton } from '../../ui/forms/RemoveButton.tsx'
import { useFieldFaults } from '../../ui/forms/useFieldFaults.ts'
import { useChanged, useLeave } from '../../ui/forms/useLeave.tsx'
import { dependenciesOf } from '../objects/index.ts'
import { findTwins, nameTwin } from '../twins/index.ts'
import type { Draft } from './draft.ts'

const faultsOf = check(NewDashboard.pick({ name: true, description: true }))

/** Maximum number of parameters, as in the contract. */
const parametersMax = 20
const keepFixed = 'fixed'

interface SettingsDialogProps {
  /** with the changes of the draft */
  board: Dashboard
  onApply: (fields: Pick<Draft, 'name' | 'description' | 'parentDtwinId' | 'settings'>) => void
  /** Called when the dashboard has been deleted: its draft must not ask before leaving. */
  onDelete: () => void
  onClose: () => void
}

/** Name, description, twin, default time range and parameters of a dashboard; also deletes it. */
export default function SettingsDialog({ board, onApply, onDelete, onClose }: SettingsDialogProps) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const navigate = useNavigate()
  const [name, setName] = useState(board.name)
  const [description, setDescription] = useState(board.description)
  const [twin, setTwin] = useState(board.parentDtwinId === null ? null : String(board.parentDtwinId))
  const initialRange = board.settings.defaultDateRange
  const [range, setRange] = useState<string>('preset' in initialRange ? initialRange.preset : keepFixed)
  const [parameters, setParameters] = useState(
    board.settings.customParameters.map((parameter, id) => ({ ...parameter, id })),
  )
  const [deleting, setDeleting] = useState(false)
  const changed = useChanged([name, description, twin, range, parameters])
  const { close, question } = useLeave(changed, onClose)
  const badName = (parameter: string) => !/^[A-Za-z0-9_]{1,50}$/.test(parameter)
  const twice = (parameter: string) => parameters.filter((each) => each.name === parameter).length > 1
  const { faults, attempt } = useFieldFaults(
    () => ({ name, description, parameters }),
    (entered) => ({
      ...faultsOf(entered),
      ...Object.fromEntries(
        entered.parameters.flatMap(({ name: parameter }, index) =>
          badName(parameter)
            ? [[`parameters.${index}.name`, t('dashboards.parameterRule')]]
            : twice(parameter)
              ? [[`parameters.${index}.name`, t('keyValues.duplicate')]]
              : [],
        ),
      ),
    }),
  )
  const apply = (event: FormEvent) => {
    event.preventDefault()
    if (Object.keys(attempt()).length > 0) return focusFirstFault()
    onApply({
      name: name.trim(),
      description,
      parentDtwinId: twin === null ? null : Number(twin),
      settings: {
        defaultDateRange: isPreset(range) ? { preset: range } : initialRange,
        customParameters: parameters.map(({ id: _, ...parameter }) => parameter),
      },
    })
    onClose()
  }
  const set = (id: number, change: { name?: string; defaultValue?: string }) =>
    setParameters((all) => all.map((each) => (each.id === id ? { ...each, ...change } : each)))
  return (
    <Modal opened onClose={close} title={t('dashboards.settings')} size="lg">
      <form onSubmit={apply} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('dashboards.name')}
            required
            data-autofocus
            value={name}
            maxLength={200}
            onChange={(event) => setName(event.currentTarget.value)}
            error={faults.name}
          />
          <Textarea
            label={t('dashboards.description')}
            autosize
            minRows={2}
            value={description}
            maxLength={4000}
            onChange={(event) => setDescription(event.currentTarget.value)}
          />
          <EntityPicker
            label={t('dashboards.twin')}
            description={t('dashboards.twinHint')}
            placeholder={t('dashboards.noTwin')}
            value={twin}
            onChange={setTwin}
            load={findTwins}
            labelOf={nameTwin}
          />
          <Select
            label={t('dashboards.defaultRange')}
            allowDeselect={false}
            w={260}
            data={[
              ...('preset' in initialRange ? [] : [{ value: keepFixed, label: t('dashboards.fixedRange') }]),
              ...timeRanges.map((preset) => ({ value: preset, label: t(`timeRange.presets.${preset}`) })),
            ]}
            value={range}
            onChange={(next) => setRange(next ?? '24h')}
          />
          <div>
            <Text size="sm" fw={500}>
              {t('dashboards.parameters')}
            </Text>
            <Text size="xs" c="dimmed" mb={6}>
              {t('dashboards.parametersHint')}
            </Text>
            <Stack gap={6}>
              {parameters.map((parameter, index) => (
                <Group key={parameter.id} gap={8} wrap="nowrap" align="flex-start">
                  <TextInput
                    aria-label={t('dashboards.parameterName')}
                    placeholder={t('dashboards.parameterName')}
                    value={parameter.name}
                    onChange={(event) => set(parameter.id, { name: event.currentTarget.value })}
                    error={faults[`parameters.${index}.name`]}
                  />
                  <TextInput
                    aria-label={t('dashboards.parameterDefault')}
                    placeholder={t('dashboards.parameterDefault')}
                    value={parameter.defaultValue}
                    maxLength={500}
                    onChange={(event) => set(parameter.id, { defaultValue: event.currentTarget.value })}
                  />
                  <RemoveButton
                    icon={IconX}
                    mt={2}
                    label={t('dashboards.removeParameter', { name: parameter.name })}
                    onClick={() => setParameters((all) => all.filter((each) => each.id !== parameter.id))}
                  />
                </Group>
              ))}
              {parameters.length < parametersMax ? (
                <Button
                  variant="subtle"
                  size="compact-sm"
                  style={{ alignSelf: 'flex-start' }}
                  leftSection={<Icon of={IconPlus} size={14} />}
                  onClick={() =>
                    setParameters((all) => [
                      ...all,
                      { id: Math.max(-1, ...all.map((each) => each.id)) + 1, name: '', defaultValue: '' },
                    ])
                  }
                >
                  {t('dashboards.addParameter')}
                </Button>
              ) : null}
            </Stack>
          </div>
          <Group justify="space-between">
            <Button variant="subtle" color="red" onClick={() => setDeleting(true)}>
              {t('dashboards.delete')}
            </Button>
            <Group gap={8}>
              <Button variant="default" onClick={close}>
                {t('common.cancel')}
              </Button>
              <Button type="submit">{t('dashboards.apply')}</Button>
            </Group>
          </Group>
        </Stack>
      </form>
      {question}
      <ConfirmDanger
        opened={deleting}
        onClose={() => setDeleting(false)}
        title={t('dashboards.deleteTitle', { name: board.name })}
        text={t('dashboards.deleteText')}
        confirmLabel={t('dashboards.delete')}
        dependencies={{
          key: ['dashboard', board.id],
          load: () => dependenciesOf('dashboard', board.id),
        }}
        onConfirm={async () => {
          await client.dashboards.delete({ id: board.id })
          onDelete()
          notifySuccess(t('dashboards.deleted', { name: board.name }))
          await navigate({ to: '/dashboards' })
          await cache.invalidateQueries({ queryKey: api.dashboards.list.key() })
        }}
      />
    </Modal>
  )
}
