import { type FoundPlace, geocoderLimits } from '@leitstand/contract/geocoder'
import { Button, Group, Modal, Stack, Text, TextInput, UnstyledButton } from '@mantine/core'
import { IconMapPin, IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { client } from '../../../lib/api.ts'
import { formatNumber } from '../../../lib/format.ts'
import { Icon } from '../../../ui/display/Icon.tsx'
import { ErrorText } from '../../../ui/feedback/ErrorText.tsx'
import { Loading } from '../../../ui/feedback/Loading.tsx'
import classes from './address.module.css'

/** Decimals of a degree shown: about a metre. */
const digits = 5

interface AddressDialogProps {
  address: string
  position: { latitude: number; longitude: number } | null
  attribution: string
  onChoose: (place: FoundPlace) => void
  onClose: () => void
}

type Question = { text: string } | { latitude: number; longitude: number }

/** Looks up an address, or that of the position; one of the places found is chosen. */
export default function AddressDialog(props: AddressDialogProps) {
  const { position, attribution, onChoose, onClose } = props
  const { t } = useTranslation()
  const [text, setText] = useState(props.address.slice(0, geocoderLimits.textMax))
  const look = useMutation({
    mutationFn: (question: Question) =>
      'text' in question ? client.geocoder.search(question) : client.geocoder.reverse(question),
  })
  const search = (event: FormEvent) => {
    event.preventDefault()
    // The dialog is inside another form, whose submit this is not.
    event.stopPropagation()
    if (text.trim().length >= 2) look.mutate({ text })
  }
  return (
    <Modal opened onClose={onClose} title={t('geocoder.title')} size="lg">
      <Stack gap="md">
        <form onSubmit={search}>
          <Group gap={8} align="flex-end" wrap="nowrap">
            <TextInput
              className={classes.text ?? ''}
              label={t('geocoder.text')}
              placeholder={t('geocoder.example')}
              maxLength={geocoderLimits.textMax}
              data-autofocus
              value={text}
              onChange={(event) => setText(event.currentTarget.value)}
            />
            <Button
              type="submit"
              leftSection={<Icon of={IconSearch} />}
              loading={look.isPending}
              disabled={text.trim().length < 2}
            >
              {t('geocoder.search')}
            </Button>
          </Group>
        </form>
        {position ? (
          <div>
            <Button
              variant="default"
              leftSection={<Icon of={IconMapPin} />}
              disabled={look.isPending}
              onClick={() => look.mutate(position)}
            >
              {t('geocoder.ofPosition')}
            </Button>
          </div>
        ) : null}
        <div aria-live="polite">
          {look.isPending ? <Loading lines={3} /> : null}
          {look.isError ? <ErrorText error={look.error} /> : null}
          {look.data ? (
            <Places items={look.data.items} question={look.variables} onChoose={onChoose} />
          ) : null}
        </div>
        <Text size="xs" c="dimmed">
          {attribution ? `${t('geocoder.credit', { attribution })} ` : ''}
          {t('geocoder.hint')}
        </Text>
      </Stack>
    </Modal>
  )
}

interface PlacesProps {
  items: readonly FoundPlace[]
  question: Question | undefined
  onChoose: (place: FoundPlace) => void
}

function Places({ items, question, onChoose }: PlacesProps) {
  const { t } = useTranslation()
  if (items.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {t('geocoder.nothing')}
      </Text>
    )
  const isOfPosition = question !== undefined && !('text' in question)
  return (
    <ul className={classes.places} aria-label={t('geocoder.found')}>
      {items.map((place) => (
        <li key={`${place.title} ${place.latitude} ${place.longitude}`}>
          <UnstyledButton
            className={classes.place ?? ''}
            // The address of a position does not move it.
            onClick={() => onChoose(isOfPosition ? { ...place, ...question } : place)}
          >
            <span>{place.title}</span>
            <span className={classes.degrees}>
              {formatNumber(place.latitude, digits)}°, {formatNumber(place.longitude, digits)}°
            </span>
          </UnstyledButton>
        </li>
      ))}
    </ul>
  )
}
