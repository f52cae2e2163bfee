import de from 'virtual:texts/de/offline'
import en from 'virtual:texts/en/offline'
import { type TicketType, ticketLimits, ticketTypes } from '@leitstand/contract/tickets'
import { preparePhoto } from '../add/photo.ts'
import { type Reporter, rememberedReporter } from '../kept/reporter.ts'
import { commentMax, keepReport, keptReports } from '../kept/store.ts'
import { addressOf } from './address.ts'
import { make } from './make.ts'
import css from './offline.css?inline'
import { languageOf, textsOf } from './texts.ts'

/**
 * Opens in place of the console where there is no network (`public/worker.js`), without any of its code: a report is
 * written and kept on this device. The console sends it with its next start.
 */

const setting = (storage: 'localStorage' | 'sessionStorage', key: string): string | null => {
  try {
    return window[storage].getItem(key)
  } catch {
    // Storage is closed to us (private mode): there is nothing stored.
    return null
  }
}

const language = languageOf(
  [setting('sessionStorage', 'leitstand.language'), setting('localStorage', 'leitstand.language')],
  navigator.languages,
)
const t = textsOf({ de, en }[language])

const sheet = new CSSStyleSheet()
sheet.replaceSync(css)
document.adoptedStyleSheets.push(sheet)
const scheme = setting('localStorage', 'leitstand.colorScheme')
const ofSystem = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light'
document.documentElement.dataset.scheme = scheme === 'light' || scheme === 'dark' ? scheme : ofSystem
document.documentElement.lang = language
document.title = t('tickets.offline.title')

const host = document.getElementById('offline')
if (host === null) throw new Error('The page has no element #offline')

/** How often the server is asked: the network may be there and the server not, which no event tells. */
const askMs = 20_000
/** Something is written that a new start of the page would lose. */
let isDirty = false
/** There is a connection again, but something is still being written. */
let isBack = false
const goOn = () => {
  isBack = true
  if (!isDirty) location.reload()
}
addEventListener('online', goOn)
setInterval(async () => {
  const answer = await fetch('/healthz', { cache: 'no-store' }).catch(() => null)
  if (answer?.ok) goOn()
}, askMs)
addEventListener('beforeunload', (event) => {
  if (isDirty) event.preventDefault()
})
addEventListener('hashchange', () => location.reload())

const retry = make('button', { type: 'button', onclick: () => location.reload() }, t('tickets.offline.retry'))
host.append(
  make('h1', {}, t('tickets.offline.title')),
  make('p', {}, t('tickets.offline.text')),
  make('p', {}, retry),
)
const reporter = rememberedReporter()
const { isReport, twinId } = addressOf(location.hash)
if (reporter !== null) {
  const waiting = make('div', {})
  const showWaiting = async () => {
    const reports = await keptReports(reporter.userId)
    waiting.replaceChildren(
      ...(reports.length === 0
        ? []
        : [
            make('h2', {}, t('tickets.kept.title')),
            make('p', { className: 'dimmed' }, t('tickets.kept.text')),
            make(
              'ul',
              {},
              ...reports.map(({ subject, place }) =>
                make('li', {}, make('strong', {}, subject), place === '' ? '' : ` · ${place}`),
              ),
            ),
          ]),
    )
  }
  const form = make('section', {})
  const write = () => form.replaceChildren(...formFor(reporter, twinId, onKept))
  const onKept = async () => {
    isDirty = false
    const again = make('button', { type: 'button', onclick: write }, t('tickets.success.another'))
    const heading = make('h2', { tabIndex: -1 }, t('tickets.success.kept'))
    form.replaceChildren(
      make('div', { role: 'status' }, heading, make('p', {}, t('tickets.success.keptText'))),
      again,
    )
    heading.focus()
    await showWaiting()
    if (isBack) location.reload()
  }
  host.append(form, waiting)
  if (isReport) write()
  void showWaiting()
}

/** The form; without a place only how to get one, because every report needs it. */
function formFor({ userId, places }: Reporter, twin: number | null, onKept: () => Promise<void>): Node[] {
  const heading = make('h2', {}, t('tickets.report'))
  if (twin === null) return [heading, make('p', {}, t('tickets.offline.noPlace'))]
  const place = places.find(([id]) => id === twin)?.[1] ?? ''
  let photo: Blob | null = null
  const types = ticketTypes.map((type) =>
    make('input', { type: 'radio', name: 'type', value: type, required: true }),
  )
  const subject = make('input', { type: 'text', id: 'subject', maxLength: ticketLimits.subjectMax })
  const comment = make('textarea', {
    id: 'comment',
    rows: 3,
    maxLength: commentMax,
    placeholder: t('tickets.add.commentHint'),
  })
  const message = make('p', { role: 'alert', className: 'problem' })
  const preview = make('div', { className: 'photo' })
  const file = make('input', { type: 'file', id: 'photo', accept: 'image/*' })
  file.setAttribute('capture', 'environment')
  const showPhoto = () => {
    if (photo === null) return preview.replaceChildren()
    const without = make('button', { type: 'button' }, t('tickets.add.noPhoto'))
    without.onclick = () => {
      photo = null
      file.value = ''
      showPhoto()
      file.focus()
    }
    const image = make('img', { src: URL.createObjectURL(photo), alt: t('tickets.photo') })
    image.onload = () => URL.revokeObjectURL(image.src)
    preview.replaceChildren(image, without)
  }
  file.onchange = async () => {
    const chosen = file.files?.[0]
    if (!chosen) return
    isDirty = true
    message.textContent = ''
    try {
      photo = await preparePhoto(chosen)
    } catch {
      // What is wrong with a file that is no image makes no difference to who has chosen it.
      photo = null
      message.textContent = t('tickets.add.photoRefused')
    }
    showPhoto()
  }
  const form = make(
    'form',
    { noValidate: true, oninput: () => (isDirty = true) },
    make('p', {}, make('strong', {}, place === '' ? t('tickets.offline.place') : place)),
    make(
      'fieldset',
      {},
      make('legend', {}, t('tickets.add.what')),
      ...types.map((input, at) =>
        make('label', { className: 'type' }, input, t(`tickets.types.${ticketTypes[at]}`)),
      ),
    ),
    file,
    make('label', { htmlFor: 'photo', className: 'button' }, t('tickets.add.photo')),
    preview,
    make('label', { htmlFor: 'subject' }, t('tickets.add.subject')),
    subject,
    make('label', { htmlFor: 'comment' }, t('tickets.add.comment')),
    comment,
    message,
    make('button', { type: 'submit', className: 'main' }, t('tickets.offline.keep')),
  )
  form.onsubmit = async (event) => {
    event.preventDefault()
    const type = types.find(({ checked }) => checked)?.value as TicketType | undefined
    if (type === undefined) {
      message.textContent = t('tickets.add.chooseType')
      types[0]?.focus()
      return
    }
    try {
      await keepReport({
        key: crypto.randomUUID(),
        userId,
        twinId: twin,
        place,
        type,
        subject: subject.value.trim() || t(`tickets.types.${type}`),
        comment: comment.value.trim(),
        again: false,
        photo,
        atMs: Date.now(),
        ticketId: null,
        refusal: null,
      })
    } catch {
      // A browser without storage, or a full disk: what is written stays in the form.
      message.textContent = t('tickets.offline.unsafe')
      return
    }
    await onKept()
  }
  return [heading, make('p', { className: 'dimmed' }, t('tickets.offline.report')), form]
}
