import type { BulkUpload, ImportSettings } from '@leitstand/contract/bulk'
import { Stack, Title } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../lib/api.ts'
import { useUser } from '../../lib/session.ts'
import { one, useUrlSearch } from '../../lib/url.ts'
import { useAccounts } from '../../ui/accounts/AccountFilter.tsx'
import { endDetour, keptFromDetour } from '../../ui/forms/detour.ts'
import { useChanged } from '../../ui/forms/useLeave.tsx'
import { Wizard } from '../../ui/forms/Wizard.tsx'
import { useConnectorDetour } from '../devices/index.ts'
import { CheckStep, type Preview } from './CheckStep.tsx'
import { type ColumnChoice, columnFault, deviceFields, suggested, toColumns } from './columns.ts'
import { FileStep } from './FileStep.tsx'
import { proposedTitle, titleFits } from './JobTitle.tsx'
import { type Target, TargetStep } from './TargetStep.tsx'

type Drivers = Preview['drivers']

/** The versions of these drivers that were accepted. */
const acceptedOf = (drivers: Drivers, accepted: readonly number[]) =>
  drivers.filter(({ id }) => accepted.includes(id)).map(({ id, number }) => ({ driverId: id, number }))

const nowhere: Target = {
  accountId: null,
  connectorId: null,
  driverId: null,
  operationalStatus: '3',
  parentId: null,
  tags: [],
}

interface Kept {
  target: Target
  upload: BulkUpload
  choices: ColumnChoice[]
  title: string | null
}

/** Imports devices from a file in three steps: target, column mapping, dry run. */
export default function ImportDevices() {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const accounts = useAccounts()
  const only = accounts.data?.items.length === 1 ? String(accounts.data.items[0]?.id) : null
  const [search] = useUrlSearch()
  const user = useUser()
  const [kept] = useState(() => keptFromDetour<Kept>('import', user.id, one(search, 'draft')))
  const detour = useConnectorDetour('import')
  const made = one(search, 'connector')
  const [target, setTarget] = useState<Target>({
    ...(kept?.target ?? nowhere),
    ...(made === undefined ? {} : { connectorId: made }),
  })
  const [missing, setMissing] = useState(false)
  const [upload, setUpload] = useState(kept?.upload)
  const [choices, setChoices] = useState(kept?.choices ?? [])
  const [asked, setAsked] = useState(false)
  const [preview, setPreview] = useState<Preview>()
  const [skipFaulty, setSkipFaulty] = useState(false)
  const [ownTitle, setTitle] = useState<string | null>(kept?.title ?? null)
  const [accepted, setAccepted] = useState<number[]>([])
  const [confirmed, setConfirmed] = useState(false)
  const [finished, setFinished] = useState(false)
  const changed = useChanged(target)
  const dirty = upload !== undefined || kept !== undefined || changed
  const accountId = target.accountId ?? only

  const settings = (): ImportSettings => ({
    connectorId: Number(target.connectorId),
    columns: toColumns(choices),
    driverId: target.driverId === null ? null : Number(target.driverId),
    driverVersion: null,
    operationalStatus: Number(target.operationalStatus),
    parentId: target.parentId === null ? null : Number(target.parentId),
    tags: target.tags,
    groups: [],
    acceptDrivers: acceptedOf(preview?.drivers ?? [], accepted),
  })

  const title = ownTitle ?? (upload ? proposedTitle(upload.fileName) : '')

  const start = async () => {
    setConfirmed(true)
    if (!upload || !preview || !titleFits(title)) return
    if (preview.valid === 0 || preview.rows > preview.devicesMax || (preview.faulty > 0 && !skipFaulty))
      return
    if (preview.drivers.some((driver) => !accepted.includes(driver.id))) return
    const { id } = await client.bulk.import({
      title,
      uploadId: upload.id,
      settings: settings(),
      skipFaulty,
    })
    setFinished(true)
    endDetour('import')
    void navigate({ to: '/background-jobs', search: { job: String(id) }, ignoreBlocker: true })
  }

  return (
    <Stack gap="md">
      <Title order={1}>{t('bulk.import.title')}</Title>
      <Wizard
        dirty={dirty && !finished}
        finishLabel={preview ? t('bulk.import.run', { count: preview.valid }) : t('bulk.import.runUnknown')}
        onFinish={start}
        onCancel={() => {
          setFinished(true)
          endDetour('import')
          void navigate({ to: '/virtual-devices', ignoreBlocker: true })
        }}
        steps={[
          {
            key: 'define',
            label: t('bulk.import.step.define'),
            content: (
              <TargetStep
                value={{ ...target, accountId }}
                onChange={(changed) => {
                  setMissing(false)
                  setTarget((before) => ({ ...before, ...changed }))
                }}
                missing={missing}
                onCreateConnector={() =>
                  void detour({ target, upload, choices, title: ownTitle }, target.accountId)
                }
              />
            ),
            validate: () => {
              setMissing(target.connectorId === null)
              return target.connectorId !== null
            },
          },
          {
            key: 'upload',
            label: t('bulk.import.step.upload'),
            content: (
              <FileStep
                send={(file) => client.bulk.upload({ file })}
                fields={deviceFields}
                upload={upload}
                choices={choices}
                asked={asked}
                onUpload={(uploaded) => {
                  setUpload(uploaded)
                  setChoices(uploaded ? suggested(uploaded) : [])
                }}
                onChange={setChoices}
              />
            ),
            validate: async () => {
              setAsked(true)
              if (!upload || columnFault(choices, deviceFields) !== null) return false
              setPreview(await client.bulk.preview({ uploadId: upload.id, settings: settings() }))
              setAccepted([])
              return true
            },
          },
          {
            key: 'confirm',
            label: t('bulk.import.step.confirm'),
            content: preview ? (
              <CheckStep
                preview={preview}
                skipFaulty={skipFaulty}
                title={title}
                confirmed={confirmed}
                onSkip={setSkipFaulty}
                accepted={accepted}
                onAccept={setAccepted}
                onTitle={setTitle}
              />
            ) : null,
          },
        ]}
      />
    </Stack>
  )
}
