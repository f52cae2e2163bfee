import type { StoredFile } from '@leitstand/contract/files'
import type { Floor } from '@leitstand/contract/floors'
import type { Twin } from '@leitstand/contract/twins'
import { Button, FileButton, Group, Text } from '@mantine/core'
import { IconMap2, IconTrash, IconUpload } from '@tabler/icons-react'
import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api, client } from '../../lib/api.ts'
import { Icon } from '../../ui/display/Icon.tsx'
import { ConfirmDanger } from '../../ui/feedback/ConfirmDanger.tsx'
import { EmptyState } from '../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../ui/feedback/Loading.tsx'
import { notifySuccess } from '../../ui/feedback/notify.ts'
import { Section } from '../../ui/page/Section.tsx'
import { ChoosePage } from './ChoosePage.tsx'
import { PlanEditor } from './PlanEditor.tsx'
import { PlanError, type Prepared, planTypes, prepare } from './pictures.ts'

/** The plan of a floor: choose a picture, place it on the map, save. */
export default function PlanTab({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const files = useQuery(
    api.upload.list.queryOptions({ input: { object: 'digitalTwin', objectId: twin.id } }),
  )
  const floors = useQuery(api.floor.list.queryOptions({ input: { id: twin.id } }))
  const picture = files.data?.items.find(({ role }) => role === 'plan')
  const floor = floors.data?.items.find(({ twinId }) => twinId === twin.id)
  const failed = [files, floors].find(({ isLoadingError }) => isLoadingError)
  const choosing = useChoosing(twin)
  return (
    <Section
      title={t('floors.plan')}
      description={t(twin.editable ? 'floors.planHint' : 'floors.planReadOnly')}
      actions={
        twin.editable && picture ? (
          <Group gap={8}>
            <ChooseButton choosing={choosing} label={t('floors.chooseAnother')} />
            <RemovePlan twin={twin} />
          </Group>
        ) : null
      }
    >
      {failed ? <ErrorState error={failed.error} onRetry={() => void failed.refetch()} compact /> : null}
      {!failed && (!files.data || !floors.data) ? <Loading lines={6} /> : null}
      <Fault error={choosing.fault} />
      {files.data && floors.data ? (
        <Content twin={twin} picture={picture} floor={floor} choosing={choosing} />
      ) : null}
      <ChoosePage {...choosing.pages} />
    </Section>
  )
}

/** Why no plan could be made from the file. */
function Fault({ error }: { error: unknown }) {
  const { t } = useTranslation()
  if (error === undefined) return null
  if (!(error instanceof PlanError)) return <ErrorText error={error} />
  return (
    <Text size="sm" c="var(--health-error)" role="alert" mb="sm">
      {t(`floors.faults.${error.fault}`)}
    </Text>
  )
}

interface ContentProps {
  twin: Twin
  picture: StoredFile | undefined
  floor: Floor | undefined
  choosing: ReturnType<typeof useChoosing>
}

function Content({ twin, picture, floor, choosing }: ContentProps) {
  const { t } = useTranslation()
  if (picture)
    return <PlanEditor key={picture.id} twin={twin} picture={picture} overlay={floor?.overlay ?? null} />
  return (
    <EmptyState
      icon={IconMap2}
      title={t('floors.none')}
      text={t(twin.editable ? 'floors.noneHint' : 'floors.noneReadOnly')}
      action={twin.editable ? <ChooseButton choosing={choosing} label={t('floors.choose')} filled /> : null}
    />
  )
}

interface ChooseButtonProps {
  choosing: ReturnType<typeof useChoosing>
  label: string
  filled?: boolean
}

function ChooseButton({ choosing, label, filled = false }: ChooseButtonProps) {
  return (
    <FileButton accept={planTypes.join(',')} onChange={(file) => (file ? choosing.choose(file) : undefined)}>
      {(props) => (
        <Button
          {...props}
          variant={filled ? 'filled' : 'default'}
          loading={choosing.busy}
          leftSection={<Icon of={IconUpload} size={16} />}
        >
          {label}
        </Button>
      )}
    </FileButton>
  )
}

async function refresh(cache: QueryClient, objectId: number): Promise<void> {
  await Promise.all([
    cache.invalidateQueries({
      queryKey: api.upload.list.key({ input: { object: 'digitalTwin', objectId } }),
    }),
    cache.invalidateQueries({ queryKey: api.floor.list.key() }),
  ])
}

/** Prepares the chosen file, asks for the page of a PDF, and uploads the picture. */
function useChoosing(twin: Twin) {
  const cache = useQueryClient()
  const [busy, setBusy] = useState(false)
  const [fault, setFault] = useState<unknown>()
  const [pages, setPages] = useState<Extract<Prepared, { kind: 'pages' }>>()
  const attempt = async (work: () => Promise<void>) => {
    setBusy(true)
    setFault(undefined)
    try {
      await work()
    } catch (error) {
      setFault(error)
    } finally {
      setBusy(false)
    }
  }
  const upload = async (file: File) => {
    await client.upload.post({ file, object: 'digitalTwin', objectId: twin.id, role: 'plan' })
    await refresh(cache, twin.id)
  }
  const close = () => {
    pages?.close()
    setPages(undefined)
  }
  return {
    busy,
    fault,
    choose: (file: File) =>
      void attempt(async () => {
        const prepared = await prepare(file)
        if (prepared.kind === 'picture') await upload(prepared.file)
        else if (prepared.count === 1) {
          await upload(await prepared.page(1))
          prepared.close()
        } else setPages(prepared)
      }),
    pages: {
      pages,
      busy,
      onClose: close,
      onChoose: (number: number) =>
        void attempt(async () => {
          if (!pages) return
          await upload(await pages.page(number))
          close()
        }),
    },
  }
}

function RemovePlan({ twin }: { twin: Twin }) {
  const { t } = useTranslation()
  const cache = useQueryClient()
  const [asking, setAsking] = useState(false)
  return (
    <>
      <Button
        variant="default"
        c="var(--health-error)"
        leftSection={<Icon of={IconTrash} size={16} />}
        onClick={() => setAsking(true)}
      >
        {t('floors.remove')}
      </Button>
      <ConfirmDanger
        opened={asking}
        onClose={() => setAsking(false)}
        title={t('floors.removeAsk')}
        text={t('floors.removeText')}
        confirmLabel={t('floors.remove')}
        onConfirm={async () => {
          await client.floor.remove({ id: twin.id })
          await refresh(cache, twin.id)
          notifySuccess(t('floors.removed'))
        }}
      />
    </>
  )
}
