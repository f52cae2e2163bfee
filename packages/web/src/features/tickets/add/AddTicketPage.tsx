import { type TicketType, ticketLimits, ticketTypes } from '@leitstand/contract/tickets'
import { Button, FileButton, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core'
import { IconCamera, IconMapPin, IconSend, IconX } from '@tabler/icons-react'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type FormEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { api } from '../../../lib/api.ts'
import { useUser } from '../../../lib/session.ts'
import { one, useUrlSearch } from '../../../lib/url.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { RelativeTime } from '../../../ui/display/RelativeTime.tsx'
import { EmptyState } from '../../../ui/feedback/EmptyState.tsx'
import { ErrorState } from '../../../ui/feedback/ErrorState.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import { EntityPicker } from '../../../ui/forms/EntityPicker.tsx'
import { useUnsavedGuard } from '../../../ui/forms/useLeave.tsx'
import { Section } from '../../../ui/page/Section.tsx'
import { typeIcons } from '../icons.ts'
import { rememberPlace } from '../kept/reporter.ts'
import { commentMax, type KeptReport } from '../kept/store.ts'
import { useReport } from '../kept/useReport.ts'
import { openOffline } from '../offline/worker.ts'
import { loadPlaces } from '../places.ts'
import { idOf, placeText } from '../pure.ts'
import { OpenTicket } from '../TicketDrawer.tsx'
import classes from '../tickets.module.css'
import { KeptReports } from './KeptReports.tsx'
import { MyReports } from './MyReports.tsx'
import { preparePhoto } from './photo.ts'

interface Values {
  type: TicketType | null
  subject: string
  comment: string
  photo: Blob | null
}
const nothing: Values = { type: null, subject: '', comment: '', photo: null }

/** Reports a fault, `/fm-add-ticket?twin=…`: on a phone in three taps from the code at the room. */
export default function AddTicketPage() {
  const { t } = useTranslation()
  const [search, update] = useUrlSearch()
  const twinId = idOf(one(search, 'twin'))
  const ticketId = idOf(one(search, 'ticket'))
  useEffect(() => void openOffline(), [])
  return (
    <>
      <Title order={1} mb="md">
        {t('tickets.report')}
      </Title>
      <div className={classes.add}>
        <ReportForm
          key={one(search, 'alarm')}
          alarmId={idOf(one(search, 'alarm'))}
          subject={one(search, 'subject') ?? ''}
          twinId={twinId}
          onPlace={(id) => update({ twin: id === null ? undefined : String(id) })}
        />
        <KeptReports />
        <MyReports onOpen={(id) => update({ ticket: String(id) }, { push: true })} />
      </div>
      {ticketId === null ? null : (
        <OpenTicket key={ticketId} id={ticketId} onClose={() => update({ ticket: undefined })} />
      )}
    </>
  )
}

interface ReportFormProps {
  twinId: number | null
  /** the alarm it is about */
  alarmId: number | null
  /** what is written already */
  subject: string
  onPlace: (id: number | null) => void
}

function ReportForm({ twinId, alarmId, subject, onPlace }: ReportFormProps) {
  const { t } = useTranslation()
  const navigate = useNavigate()
  const { id: userId } = useUser()
  const [values, setValues] = useState({ ...nothing, subject: subject.slice(0, ticketLimits.subjectMax) })
  const [tried, setTried] = useState(false)
  const [again, setAgain] = useState(false)
  const report = useReport()
  const set = (change: Partial<Values>) => {
    setValues((current) => ({ ...current, ...change }))
    setAgain(false)
  }
  const place = useQuery({
    ...api.isFmTicket.place.queryOptions({ input: { twinId: twinId ?? 0 } }),
    enabled: twinId !== null,
  })
  const known = place.data
  useEffect(() => {
    if (known) rememberPlace(known.id, placeText(known))
  }, [known])
  const sending = useMutation({
    networkMode: 'always',
    mutationFn: async () => {
      const { type } = values
      if (twinId === null || type === null) return
      const written: KeptReport = {
        key: crypto.randomUUID(),
        userId,
        twinId,
        place: place.data ? placeText(place.data) : '',
        type,
        subject: values.subject.trim() || t(`tickets.types.${type}`),
        comment: values.comment.trim(),
        again,
        ...(alarmId === null ? {} : { alarmId }),
        photo: values.photo,
        atMs: Date.now(),
        ticketId: null,
        refusal: null,
      }
      const outcome = await report(written)
      if (outcome.kind === 'refused') {
        setAgain(outcome.code === 'TICKET_DUPLICATE')
        throw outcome.error
      }
      setValues(nothing)
      setTried(false)
      await navigate({
        to: '/fm-ticket-success',
        search: outcome.kind === 'sent' ? { ticket: String(outcome.ticket.id) } : { kept: '1' },
      })
    },
  })
  const isDirty = values.subject !== subject || values.comment !== '' || values.photo !== null
  const guard = useUnsavedGuard(isDirty && !sending.isPending && !sending.isSuccess)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setTried(true)
    if (twinId !== null && values.type !== null) sending.mutate()
  }
  return (
    <form noValidate onSubmit={submit} className={classes.add}>
      <Section title={t('tickets.add.where')}>
        <Place twinId={twinId} place={place} onPlace={onPlace} fault={tried && twinId === null} />
      </Section>
      <Section title={t('tickets.add.what')}>
        <Types
          value={values.type}
          onChange={(type) => set({ type })}
          fault={tried && values.type === null ? t('tickets.add.chooseType') : null}
        />
      </Section>
      <Section title={t('tickets.add.more')}>
        <Stack gap="md">
          <Photo value={values.photo} onChange={(photo) => set({ photo })} />
          <TextInput
            label={t('tickets.add.subject')}
            placeholder={values.type === null ? '' : t(`tickets.types.${values.type}`)}
            maxLength={ticketLimits.subjectMax}
            value={values.subject}
            onChange={(event) => set({ subject: event.currentTarget.value })}
          />
          <Textarea
            label={t('tickets.add.comment')}
            placeholder={t('tickets.add.commentHint')}
            autosize
            minRows={2}
            maxRows={10}
            maxLength={commentMax}
            value={values.comment}
            onChange={(event) => set({ comment: event.currentTarget.value })}
          />
        </Stack>
      </Section>
      <div className={classes.send}>
        {sending.error ? <ErrorText error={sending.error} /> : null}
        <Button
          type="submit"
          size="md"
          fullWidth
          loading={sending.isPending}
          leftSection={<IconSend size={18} aria-hidden />}
        >
          {t(again ? 'tickets.add.again' : 'tickets.add.send')}
        </Button>
      </div>
      {guard}
    </form>
  )
}

interface PlaceProps {
  twinId: number | null
  place: ReturnType<typeof usePlaceQuery>
  onPlace: (id: number | null) => void
  fault: boolean
}
const usePlaceQuery = (twinId: number) => useQuery(api.isFmTicket.place.queryOptions({ input: { twinId } }))

function Place({ twinId, place, onPlace, fault }: PlaceProps) {
  const { t } = useTranslation()
  if (twinId === null) return <PlacePicker onPlace={onPlace} fault={fault} />
  // Without a network the report can still be written: the server checks the place when it is sent.
  if (!place.data && place.fetchStatus === 'paused') return <Text size="sm">{t('tickets.kept.text')}</Text>
  if (place.isPending) return <Loading lines={2} />
  if (place.isError && describesNoPlace(place.error))
    return (
      <Stack gap="md">
        <EmptyState
          icon={IconMapPin}
          title={t('tickets.add.noPlace')}
          text={t('tickets.add.noPlaceText')}
          compact
        />
        <PlacePicker onPlace={onPlace} fault={fault} />
      </Stack>
    )
  if (!place.data) return <ErrorState error={place.error} onRetry={() => void place.refetch()} compact />
  const { title, above, open } = place.data
  return (
    <Stack gap="md">
      <Group justify="space-between" wrap="nowrap" gap="sm">
        <div className={classes.rowText}>
          <Text fw={600}>{title}</Text>
          {above.length === 0 ? null : (
            <Text size="sm" c="dimmed">
              {above.join(' › ')}
            </Text>
          )}
        </div>
        <Button variant="default" size="xs" onClick={() => onPlace(null)}>
          {t('tickets.add.otherPlace')}
        </Button>
      </Group>
      {open.length === 0 ? null : (
        <div role="note">
          <Text size="sm" fw={600}>
            {t('tickets.add.openHere')}
          </Text>
          <Text size="sm" c="dimmed" mb={6}>
            {t('tickets.add.openHereText')}
          </Text>
          <ul className={classes.plain}>
            {open.map((ticket) => (
              <li key={ticket.id} className={classes.row}>
                <Text size="sm" className={classes.text ?? ''}>
                  #{ticket.number} {ticket.subject}
                </Text>
                <Text size="sm" c="dimmed">
                  <RelativeTime time={ticket.createdAt} />
                </Text>
              </li>
            ))}
          </ul>
        </div>
      )}
    </Stack>
  )
}

const describesNoPlace = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'code' in error && error.code === 'DTWIN_NOT_FOUND'

function PlacePicker({ onPlace, fault }: Pick<PlaceProps, 'onPlace' | 'fault'>) {
  const { t } = useTranslation()
  return (
    <EntityPicker
      label={t('tickets.add.place')}
      placeholder={t('tickets.add.placeHint')}
      required
      value={null}
      load={loadPlaces}
      onChange={(id) => onPlace(id === null ? null : Number(id))}
      error={fault ? t('tickets.add.choosePlace') : undefined}
    />
  )
}

function Types({
  value,
  onChange,
  fault,
}: {
  value: TicketType | null
  onChange: (type: TicketType) => void
  fault: string | null
}) {
  const { t } = useTranslation()
  return (
    <>
      <div role="radiogroup" aria-label={t('tickets.add.what')} className={classes.types}>
        {ticketTypes.map((type) => (
          <label key={type} className={classes.type}>
            <input
              type="radio"
              name="ticket-type"
              value={type}
              checked={value === type}
              onChange={() => onChange(type)}
            />
            <Icon of={typeIcons[type]} size={26} />
            <span>{t(`tickets.types.${type}`)}</span>
          </label>
        ))}
      </div>
      {fault === null ? null : (
        <Text role="alert" size="sm" c="var(--health-error)" mt={8}>
          {fault}
        </Text>
      )}
    </>
  )
}

function Photo({ value, onChange }: { value: Blob | null; onChange: (photo: Blob | null) => void }) {
  const { t } = useTranslation()
  const [failed, setFailed] = useState(false)
  const [url, setUrl] = useState<string>()
  useEffect(() => {
    if (value === null) return setUrl(undefined)
    const made = URL.createObjectURL(value)
    setUrl(made)
    return () => URL.revokeObjectURL(made)
  }, [value])
  const choose = async (file: File | null) => {
    if (file === null) return
    try {
      onChange(await preparePhoto(file))
      setFailed(false)
    } catch {
      // What is wrong with a file that is no image makes no difference to who has chosen it.
      setFailed(true)
    }
  }
  return (
    <Stack gap={8}>
      {url ? <img src={url} alt={t('tickets.photo')} className={classes.photo} /> : null}
      <Group gap={8}>
        <FileButton accept="image/*" capture="environment" onChange={(file) => void choose(file)}>
          {(props) => (
            <Button {...props} variant="default" leftSection={<IconCamera size={18} aria-hidden />}>
              {t(value === null ? 'tickets.add.photo' : 'tickets.add.otherPhoto')}
            </Button>
          )}
        </FileButton>
        {value === null ? null : (
          <Button
            variant="subtle"
            leftSection={<IconX size={16} aria-hidden />}
            onClick={() => onChange(null)}
          >
            {t('tickets.add.noPhoto')}
          </Button>
        )}
      </Group>
      {failed ? (
        <Text role="alert" size="sm" c="var(--health-error)">
          {t('tickets.add.photoRefused')}
        </Text>
      ) : null}
    </Stack>
  )
}
