import * as z from 'zod'
import { WebAddress } from './common.ts'

export const fileTargetKinds = ['sftp', 's3', 'webdav'] as const
export type FileTargetKind = (typeof fileTargetKinds)[number]

export const fileTargetLimits = {
  hostLengthMax: 253,
  pathLengthMax: 500,
  nameLengthMax: 200,
  /** a private key is the longest */
  secretLengthMax: 16_384,
} as const

/** A name or an address, without a scheme, a port or a path. */
const Host = z
  .string()
  .trim()
  .min(1)
  .max(fileTargetLimits.hostLengthMax)
  .regex(
    /^(?:[\p{L}\p{N}](?:[\p{L}\p{N}._-]*[\p{L}\p{N}])?|\[?[0-9a-fA-F:.]+\]?)$/u,
    'a host name or an IP address',
  )

/** Where files are put: `reports/2026`; no part of it is `.` or `..`. */
export const TargetFolder = z
  .string()
  .trim()
  .max(fileTargetLimits.pathLengthMax)
  .regex(/^[^\p{Cc}\\]*$/u, 'a folder, with / between its parts')
  .refine((path) => path.split('/').every((part) => part !== '.' && part !== '..'), 'no . or ..')

const Name = z
  .string()
  .trim()
  .min(1)
  .max(fileTargetLimits.nameLengthMax)
  .regex(/^[^\p{Cc}]+$/u, 'one line')
const Secret = z.string().min(1).max(fileTargetLimits.secretLengthMax)

export const SftpTarget = z.object({
  kind: z.literal('sftp'),
  host: Host,
  port: z.int().min(1).max(65_535).default(22),
  username: Name,
  /** from the root with a leading slash, otherwise from where the user lands */
  folder: TargetFolder.default(''),
  signIn: z.enum(['password', 'privateKey']).default('password'),
  /** of the key the server must show: `SHA256:…`, as OpenSSH prints it */
  fingerprint: z.string().regex(/^SHA256:[A-Za-z0-9+/]{43}$/, 'SHA256:…'),
})
export type SftpTarget = z.infer<typeof SftpTarget>

export const S3Target = z.object({
  kind: z.literal('s3'),
  /** of the service, without the bucket: `https://s3.eu-central-1.amazonaws.com` */
  endpoint: WebAddress,
  region: z
    .string()
    .trim()
    .regex(/^[a-z0-9-]{1,50}$/, 'such as eu-central-1')
    .default('us-east-1'),
  bucket: z
    .string()
    .trim()
    .regex(/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/, 'the name of a bucket'),
  folder: TargetFolder.default(''),
  accessKeyId: Name,
  /** `path`: endpoint/bucket, as most services outside Amazon expect; `host`: bucket.endpoint */
  addressing: z.enum(['path', 'host']).default('path'),
})
export type S3Target = z.infer<typeof S3Target>

export const WebdavTarget = z.object({
  kind: z.literal('webdav'),
  /** of the folder below which `folder` is: `https://cloud.example.org/remote.php/dav/files/ada` */
  url: WebAddress,
  folder: TargetFolder.default(''),
  username: Name.nullable().default(null),
})
export type WebdavTarget = z.infer<typeof WebdavTarget>

/** A server that takes files, without its secret. */
export const FileTarget = z.discriminatedUnion('kind', [SftpTarget, S3Target, WebdavTarget])
export type FileTarget = z.infer<typeof FileTarget>

/** The password, the private key (OpenSSH or PEM) or the secret access key of a target; stored sealed, never returned. */
export const FileTargetSecret = Secret

/** Why a file was not delivered. */
export const fileTargetFailures = [
  // no connection, or it broke
  'unreachable',
  // of the operator: this network is not open to users
  'forbidden',
  // the name or the password, key
  'signIn',
  // the server showed another key than the one that was confirmed
  'fingerprint',
  // a folder or bucket is missing, or may not be written
  'refused',
  // there is no room
  'full',
  'timeout',
  // an answer that is none of the protocol
  'protocol',
] as const
export type FileTargetFailure = (typeof fileTargetFailures)[number]
