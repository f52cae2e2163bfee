import { downlinkEncodings, downlinkLimits, encodeDownlink } from '@leitstand/contract/downlinkPayload'
import { PredefinedDownlink } from '@leitstand/contract/downlinks'
import {
  Accordion,
  Button,
  Group,
  NumberInput,
  Select,
  Stack,
  Switch,
  TagsInput,
  Text,
  TextInput,
} from '@mantine/core'
import type { UseFormReturnType } from '@mantine/form'
import { IconPlus, IconSend, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Icon } from '../../../ui/display/Icon.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import driver from '../drivers.module.css'
import type { DriverValues } from '../values.ts'
import { BytesPreview } from './BytesPreview.tsx'
import classes from './downlinks.module.css'
import { ParameterRow } from './ParameterRow.tsx'
import { ValueFields } from './ValueFields.tsx'
import { firstValues, nameOfNext, newDownlink, newParameter, nextBit } from './values.ts'

interface DownlinksTabProps {
  form: UseFormReturnType<DriverValues>
  readOnly: boolean
}

/** The downlinks of a driver, each with a preview to try it. */
export function DownlinksTab({ form, readOnly }: DownlinksTabProps) {
  const { t } = useTranslation()
  const { downlinks } = form.getValues()
  const [opened, setOpened] = useState(downlinks.length === 1 ? ['0'] : [])
  // Downlinks with errors are always expanded.
  const wrong = Object.keys(form.errors).flatMap((path) => /^downlinks\.(\d+)\./.exec(path)?.[1] ?? [])
  const add = () => {
    form.insertListItem('downlinks', newDownlink(nameOfNext(downlinks, t('downlinks.newName'))))
    setOpened([...opened, String(downlinks.length)])
  }
  const button =
    readOnly || downlinks.length >= downlinkLimits.predefinedMax ? undefined : (
      <Button variant="default" leftSection={<Icon of={IconPlus} size={16} />} onClick={add}>
        {t('downlinks.add')}
      </Button>
    )
  if (downlinks.length === 0)
    return (
      <EmptyState
        icon={IconSend}
        title={t('downlinks.none')}
        text={t('downlinks.noneText')}
        {...(button ? { action: button } : {})}
      />
    )
  return (
    <div className={driver.stack}>
      <Accordion
        multiple
        variant="separated"
        chevronPosition="left"
        value={[...new Set([...opened, ...wrong])]}
        onChange={setOpened}
        classNames={{ item: classes.item ?? '' }}
      >
        {downlinks.map((downlink, index) => (
          <Accordion.Item key={form.key(`downlinks.${index}`)} value={String(index)}>
            <Accordion.Control>
              <DownlinkSummary downlink={downlink} />
            </Accordion.Control>
            <Accordion.Panel>
              <DownlinkEditor
                form={form}
                index={index}
                downlink={downlink}
                readOnly={readOnly}
                onRemove={() => {
                  form.removeListItem('downlinks', index)
                  setOpened([])
                }}
              />
            </Accordion.Panel>
          </Accordion.Item>
        ))}
      </Accordion>
      {button ? <Group>{button}</Group> : null}
    </div>
  )
}

/** Summary line of a downlink: its name and payload. */
function DownlinkSummary({ downlink }: { downlink: PredefinedDownlink }) {
  const { t } = useTranslation()
  return (
    <span className={classes.summary}>
      <b>{downlink.name || t('downlinks.newName')}</b>
      <Text span size="sm" c="dimmed">
        {[
          t('downlinks.onPort', { port: downlink.port }),
          ...(downlink.parameters.length > 0
            ? [t('downlinks.parameterCount', { count: downlink.parameters.length })]
            : []),
        ].join(' · ')}
      </Text>
      <span className={classes.summaryBytes}>{downlink.payload}</span>
    </span>
  )
}

interface DownlinkEditorProps extends DownlinksTabProps {
  index: number
  downlink: PredefinedDownlink
  onRemove: () => void
}

function DownlinkEditor({ form, index, downlink, readOnly, onRemove }: DownlinkEditorProps) {
  const { t } = useTranslation()
  const path = `downlinks.${index}`
  const { parameters } = downlink
  const plain = { disabled: readOnly }
  return (
    <Stack gap="md">
      <div className={classes.fields}>
        <TextInput {...plain} label={t('downlinks.name')} required {...form.getInputProps(`${path}.name`)} />
        <NumberInput
          {...plain}
          label={t('downlinks.port')}
          required
          min={1}
          max={downlinkLimits.portMax}
          allowDecimal={false}
          {...form.getInputProps(`${path}.port`)}
        />
        <Select
          {...plain}
          label={t('downlinks.encoding')}
          data={downlinkEncodings.map((each) => ({ value: each, label: t(`downlinks.encodings.${each}`) }))}
          allowDeselect={false}
          {...form.getInputProps(`${path}.encoding`)}
        />
        <Switch
          {...plain}
          label={t('downlinks.confirmed')}
          {...form.getInputProps(`${path}.confirmed`, { type: 'checkbox' })}
        />
        <TextInput
          {...plain}
          className={classes.wide ?? ''}
          classNames={{ input: classes.mono ?? '' }}
          label={t('downlinks.payload')}
          description={t('downlinks.payloadHint')}
          required
          spellCheck={false}
          {...form.getInputProps(`${path}.payload`)}
        />
        <TextInput
          {...plain}
          className={classes.wide ?? ''}
          label={t('downlinks.description')}
          {...form.getInputProps(`${path}.description`)}
        />
        <TagsInput
          {...plain}
          className={classes.wide ?? ''}
          label={t('downlinks.gateways')}
          description={t('downlinks.gatewaysHint')}
          acceptValueOnBlur
          {...form.getInputProps(`${path}.gateways`)}
        />
      </div>
      <ul className={classes.parameters}>
        {parameters.map((parameter, at) => (
          <ParameterRow
            key={form.key(`${path}.parameters.${at}`)}
            form={form}
            path={`${path}.parameters.${at}`}
            parameter={parameter}
            number={at + 1}
            readOnly={readOnly}
            onRemove={() => form.removeListItem(`${path}.parameters`, at)}
          />
        ))}
      </ul>
      {readOnly || parameters.length >= downlinkLimits.parametersMax ? null : (
        <Group>
          <Button
            variant="default"
            size="compact-md"
            leftSection={<Icon of={IconPlus} size={16} />}
            onClick={() =>
              form.insertListItem(
                `${path}.parameters`,
                newParameter('integer', {
                  key: `value${parameters.length + 1}`,
                  title: '',
                  startBit: nextBit(parameters),
                }),
              )
            }
          >
            {t('downlinks.addParameter')}
          </Button>
        </Group>
      )}
      <TryOut downlink={downlink} />
      {readOnly ? null : (
        <Group justify="flex-end">
          <Button
            variant="light"
            color="red"
            size="compact-md"
            leftSection={<Icon of={IconTrash} size={16} />}
            aria-label={t('downlinks.removeNamed', { name: downlink.name })}
            onClick={onRemove}
          >
            {t('downlinks.remove')}
          </Button>
        </Group>
      )}
    </Stack>
  )
}

/** Encodes a downlink with test values; nothing is sent. */
function TryOut({ downlink }: { downlink: PredefinedDownlink }) {
  const { t } = useTranslation()
  const [entered, setEntered] = useState<Record<string, number | boolean | string>>({})
  const checked = PredefinedDownlink.safeParse(downlink)
  if (!checked.success)
    return (
      <Text size="sm" c="dimmed">
        {t('downlinks.tryLater')}
      </Text>
    )
  const { parameters } = checked.data
  const values = { ...firstValues(parameters), ...entered }
  const encoded = encodeDownlink(checked.data, values)
  return (
    <Stack gap="sm">
      <Text size="sm" fw={600}>
        {t('downlinks.try')}
      </Text>
      <ValueFields
        parameters={parameters}
        values={values}
        onChange={setEntered}
        fault={encoded.ok ? undefined : encoded}
      />
      <BytesPreview encoded={encoded} />
    </Stack>
  )
}
