import type { Label } from "../api/template";
import { type Notice, filled } from "./notice";
import { notices } from "./notices";
import { zh } from "./zh";

/**
 * What the server says, in Chinese. It speaks English only, in sentences with places: `{id}` holds a name, a number or
 * somebody else's words and stays as it is; `{KIND}`, in capitals, holds words of ours that stand in this list as well;
 * `{Code}` is one word, such as the id of a field.
 */
const PAIRS: Label[] = [
  // Words that stand in places.
  ...listed(zh.projects.role),
  ...listed(zh.task.counts),
  ...listed(zh.review.actions),
  { en: "uploads", zh: "上传" },
  { en: "died", zh: "已终止" },
  { en: "went silent", zh: "失去响应" },
  { en: "arms", zh: "分组" },
  { en: "outcomes", zh: "结局" },
  { en: "results of arms", zh: "分组结果" },
  { en: "results whose risk of bias could be judged", zh: "可评价偏倚风险的结果" },
  { en: "contrasts", zh: "组间比较" },
  { en: "a picture ({format})", zh: "图片（{format}）" },
  { en: "a zip archive or an Office document", zh: "zip 压缩包或 Office 文档" },
  { en: "an old Office document", zh: "旧版 Office 文档" },
  { en: "a compressed archive (gzip)", zh: "gzip 压缩包" },
  { en: "a rich text document", zh: "RTF 文档" },
  { en: "a PostScript file", zh: "PostScript 文件" },
  { en: "a drawing (SVG)", zh: "SVG 图形" },
  { en: "an XML file", zh: "XML 文件" },
  { en: "A template", zh: "模板" },
  { en: "A field", zh: "字段" },
  { en: "The template '{id}'", zh: "模板 '{id}'" },
  { en: "The field '{id}'", zh: "字段 '{id}'" },
  { en: "field", zh: "字段" },
  { en: "fields", zh: "字段" },
  { en: "option", zh: "选项" },
  { en: "options", zh: "选项" },
  { en: "unit", zh: "单位" },
  { en: "label", zh: "名称" },
  { en: "label of the option {id}", zh: "选项 {id} 的名称" },
  { en: "instruction", zh: "说明" },
  { en: "the questions of {fields}", zh: "{fields} 的各问题" },

  // What follows several sentences.
  { en: "It may have been deleted.", zh: "它可能已被删除。" },
  { en: "Try again.", zh: "请重试。" },
  { en: "The call is tried again.", zh: "将重新调用。" },
  { en: "Look again, then decide.", zh: "请再看一遍，然后决定。" },
  { en: "Split it into parts.", zh: "请拆成几部分。" },
  { en: "Split it.", zh: "请拆分。" },
  { en: "Find another copy of it.", zh: "请另找一份。" },
  { en: "Find another copy.", zh: "请另找一份副本。" },
  { en: "Print it to a new PDF and try again.", zh: "请打印成新的 PDF 后重试。" },
  { en: "Print it to a new PDF, or split it, and try again.", zh: "请打印成新的 PDF 或拆分后重试。" },
  { en: "Upload it again, or restore it from a backup.", zh: "请重新上传，或从备份恢复。" },
  { en: "Check its spelling and the network.", zh: "请检查拼写和网络。" },

  {
    en: "Files cannot be kept where INGATHER_BLOBS says: {why}. Mend it and try again.",
    zh: "无法在 INGATHER_BLOBS 指定的位置保存文件：{why}。请修复后重试。",
  },

  // Why a document cannot be read.
  {
    en: "This file is called {suffix} but is none, nor a PDF. Save or export it as PDF.",
    zh: "该文件的扩展名为 {suffix}，但内容并非如此，也不是 PDF。请另存或导出为 PDF。",
  },
  { en: "This looks like a scan: pictures of pages, without text.", zh: "这看起来是扫描件：各页都是图像，没有文字。" },
  {
    en: "Run text recognition (OCR) on it first, or install what does it here (pip install 'ingather[ocr]') and try again.",
    zh: "请先对它做文字识别（OCR），或在此处安装识别组件（pip install 'ingather[ocr]'）后重试。",
  },
  { en: "This PDF has pages but no text on them.", zh: "此 PDF 有页面，但页面上没有文字。" },
  { en: "If you see text there, it is a picture of text.", zh: "若能看到文字，那是文字的图像。" },
  {
    en: "This is a scan, and no text could be recognised in its pictures.",
    zh: "这是扫描件，且其图像中识别不出文字。",
  },
  {
    en: "All text in this PDF is hidden from readers, so none of it is used.",
    zh: "此 PDF 的文字读者全都看不见，因此均未采用。",
  },
  {
    en: "This PDF needs a password. Save a copy without one, and upload that copy.",
    zh: "此 PDF 需要密码。请另存一份无密码的副本并上传。",
  },
  {
    en: "This PDF is protected in a way that only certain readers open. Save a copy without protection.",
    zh: "此 PDF 的保护方式只有某些阅读器能打开。请另存一份无保护的副本。",
  },
  { en: "This file begins like a PDF but is none that can be read.", zh: "此文件开头像 PDF，但无法作为 PDF 读取。" },
  {
    en: "This PDF breaks off: its end is missing, as after a broken download. Download it again.",
    zh: "此 PDF 不完整：缺少结尾，可能是下载中断所致。请重新下载。",
  },
  { en: "This PDF has no page that can be read.", zh: "此 PDF 没有可以读取的页面。" },
  {
    en: "This PDF says that it has {count} pages; at most {most} are read.",
    zh: "此 PDF 称有 {count} 页，最多读取 {most} 页。",
  },
  {
    en: "This PDF holds more than {most} characters, the most that are read.",
    zh: "此 PDF 超过 {most} 个字符，这是读取的上限。",
  },
  {
    en: "A part of this PDF is packed {depth} times over, which only a harmful file does.",
    zh: "此 PDF 的一部分被层层压缩了 {depth} 次，只有恶意文件才会如此。",
  },
  {
    en: "A part of this PDF unpacks to more than {most} MB, which no paper needs.",
    zh: "此 PDF 的一部分解压后超过 {most} MB，没有文献需要这么大。",
  },
  {
    en: "This file has {size} MB; at most {most} MB are read. Compress its images or split it.",
    zh: "此文件有 {size} MB，最多读取 {most} MB。请压缩其图像或拆分。",
  },
  { en: "This file could not be read within {seconds} seconds.", zh: "此文件未能在 {seconds} 秒内读完。" },
  { en: "Unpacked, this file needs more than {most} MB of memory.", zh: "此文件解压后需要超过 {most} MB 内存。" },
  { en: "This file gives more text than is read.", zh: "此文件的文字超过读取上限。" },
  { en: "This file is damaged in a way that stops the reader.", zh: "此文件已损坏，读取程序因此中止。" },
  { en: "This file is empty. Upload it again.", zh: "此文件是空的。请重新上传。" },
  {
    en: "This file is a web page, not a PDF; a download often ends like this when a login is needed. Download the PDF itself.",
    zh: "此文件是网页，不是 PDF；需要登录时，下载往往会这样。请下载 PDF 本身。",
  },
  {
    en: "This file is {KIND}, not a PDF. Save or export it as PDF.",
    zh: "此文件是{KIND}，不是 PDF。请另存或导出为 PDF。",
  },
  {
    en: "This file is called a PDF but is none. Find the original, or save it as PDF.",
    zh: "此文件名为 PDF，其实不是。请找到原件，或另存为 PDF。",
  },
  {
    en: "This file is neither a PDF nor text in UTF-8. Save it as PDF, or as text with the encoding UTF-8.",
    zh: "此文件既不是 PDF，也不是 UTF-8 文本。请另存为 PDF，或 UTF-8 编码的文本。",
  },
  {
    en: "This text has {count} characters; at most {most} are read.",
    zh: "此文本有 {count} 个字符，最多读取 {most} 个。",
  },
  { en: "This text gives {count} pages; at most {most} are read.", zh: "此文本有 {count} 页，最多读取 {most} 页。" },
  { en: "This text file holds nothing but blanks. Choose another file.", zh: "此文本文件只有空白。请另选文件。" },
  {
    en: "This document was not read: its job came to nothing. Upload the same file again to try again.",
    zh: "此文献未能解析：解析工作没有完成。重新上传同一文件即可重试。",
  },
  { en: "Another scan is being read. This one comes later.", zh: "正在读取另一个扫描件，稍后轮到它。" },

  // Files and knowledge bases.
  { en: "There is no knowledge base {id}.", zh: "没有知识库 {id}。" },
  { en: "There is no document {id}.", zh: "没有文献 {id}。" },
  { en: "There is no file {sha256} in the library.", zh: "库中没有文件 {sha256}。" },
  { en: "The file {sha256} is not what was uploaded.", zh: "文件 {sha256} 与上传时不同。" },
  {
    en: "The file {sha256} is gone from the store. Upload it again, or bring the store back from a backup.",
    zh: "文件 {sha256} 已不在存储中。请重新上传，或从备份恢复存储。",
  },
  {
    en: "The file {sha256} has not been read yet. Wait for its job, or read it now.",
    zh: "文件 {sha256} 尚未解析。请等待解析完成。",
  },
  {
    en: "{absent} of {all} documents are not in the library: {ids}. Leave them out, or upload them.",
    zh: "{all} 篇文献中有 {absent} 篇不在库中：{ids}。请去掉它们，或重新上传。",
  },
  {
    en: "A file may have {most} MB and this one has more. Split it, or make its images smaller.",
    zh: "文件不得超过 {most} MB，此文件更大。请拆分，或缩小其图像。",
  },
  {
    en: "There is a knowledge base named {name} already. Choose another name.",
    zh: "已有名为 {name} 的知识库。请另取名称。",
  },
  {
    en: "A knowledge base has a name of 1 to {most} characters; this one has {count}.",
    zh: "知识库名称须为 1 至 {most} 个字符，此名称有 {count} 个。",
  },
  {
    en: "A search is a part of a file name: 255 characters at most, without NUL.",
    zh: "搜索内容须为文件名的一部分，最多 255 个字符。",
  },
  { en: "The upload was broken off.", zh: "上传中断。" },
  { en: "The form cannot be read: {why}", zh: "上传的内容无法读取：{why}" },
  {
    en: "The request is too big: {json} bytes of JSON or {upload} bytes of upload at most.",
    zh: "请求过大：JSON 最多 {json} 字节，上传最多 {upload} 字节。",
  },

  // Who may do what.
  {
    en: "Sign in with the link that `ingather run` printed, or send an API token.",
    zh: "请用 `ingather run` 显示的链接登录。",
  },
  {
    en: "This link was used already, or is too old. Ask for a new one with `ingather link`.",
    zh: "此链接已用过，或已过期。请用 `ingather link` 生成新的。",
  },
  { en: "Too many attempts to sign in. Wait a minute.", zh: "登录尝试过多。请等一分钟。" },
  { en: "Only operators may do this.", zh: "只有运维可以这样做。" },
  { en: "This takes a {ROLE} of the project, and a token that may write.", zh: "需要具有本项目的“{ROLE}”权限。" },
  { en: "There is no project {id}.", zh: "没有项目 {id}。" },
  { en: "A project has a name of 1 to 200 characters.", zh: "项目名称须为 1 至 200 个字符。" },
  {
    en: "You are in a project {name} already. Give this one another name.",
    zh: "您已在名为 {name} 的项目中。请另取名称。",
  },
  {
    en: "You have {most} {SEATS} under way already. Wait for one to end.",
    zh: "您已有 {most} 个{SEATS}正在进行。请等其中一个结束。",
  },
  { en: "There is nothing at {path}.", zh: "{path} 处没有内容。" },
  {
    en: "Something in the request cannot be stored: a character or a number out of range.",
    zh: "请求中有无法保存的内容：超出范围的字符或数字。",
  },
  {
    en: "Something this server needs is not available just now, written down as {number}.",
    zh: "服务器所需的某项服务暂不可用，已记录为 {number}。",
  },
  { en: "This is a fault of ours, written down as {number}.", zh: "这是程序的错误，已记录为 {number}。" },

  // Templates.
  { en: "There is no template {id}.", zh: "没有模板 {id}。" },
  {
    en: "There is no template {id}. Those that come with the program: {ids}.",
    zh: "没有模板 {id}。内置模板有：{ids}。",
  },
  {
    en: "The template {id} comes with the program and stays; clone it first.",
    zh: "模板 {id} 是内置模板，不能修改；请先复制。",
  },
  {
    en: "The template {id} comes with the program and stays as it is; clone it first.",
    zh: "模板 {id} 是内置模板，保持不变；请先复制。",
  },
  { en: "The template {id} has no field {field}.", zh: "模板 {id} 没有字段 {field}。" },
  {
    en: "Somebody else has changed this template meanwhile. Look at it again, then repeat the change.",
    zh: "其间有人修改了此模板。请查看后再改。",
  },
  {
    en: "The field {field} says the unit of {fields}; change or remove those first.",
    zh: "字段 {field} 说明了 {fields} 的单位；请先修改或删除后者。",
  },
  { en: "A selection needs at least one field.", zh: "至少要选择一个字段。" },
  {
    en: "{WHAT} has the id {id}; an id starts with a small letter and holds up to 63 small letters, digits and underscores.",
    zh: "{WHAT}的标识 {id} 不合规则：须以小写字母开头，最多 63 个小写字母、数字和下划线。",
  },
  { en: "{NAME} is of type {type} and needs options to choose from.", zh: "{NAME} 的类型为 {type}，需要可选的选项。" },
  {
    en: "{NAME} has options, but is of type {type}; make it an enum or drop them.",
    zh: "{NAME} 有选项，但类型为 {type}；请改为单选或多选，或去掉选项。",
  },
  {
    en: "{NAME} has the option {option}; use letters, digits and underscores.",
    zh: "{NAME} 的选项 {option} 不合规则；请用字母、数字和下划线。",
  },
  {
    en: "{NAME} has the scope {scope}, which the template does not list in its scopes.",
    zh: "{NAME} 的提问对象 {scope} 不在模板之列。",
  },
  {
    en: "{NAME} takes its unit from {field}, which is no other field of the template.",
    zh: "{NAME} 的单位取自 {field}，而它不是模板的另一个字段。",
  },
  {
    en: "{NAME} takes its unit from {field}, whose rows it does not belong to.",
    zh: "{NAME} 的单位取自 {field}，但不属于后者的行。",
  },
  { en: "{NAME} has an empty unit; leave it out instead.", zh: "{NAME} 的单位是空的；请不要填写。" },
  {
    en: "{NAME} has {count} {WHAT}; {most} is the most there may be.",
    zh: "{NAME} 有 {count} 个{WHAT}，最多 {most} 个。",
  },
  {
    en: "{NAME} has the {WHAT} {id} {count} times; each must have an id of its own.",
    zh: "{NAME} 中{WHAT} {id} 出现了 {count} 次；标识不得重复。",
  },
  {
    en: "{NAME} has a {WHAT} of {count} characters; {most} is the most it may have.",
    zh: "{NAME} 的{WHAT}有 {count} 个字符，最多 {most} 个。",
  },
  {
    en: "{NAME} has a control character in its {WHAT}; type the words instead of pasting them.",
    zh: "{NAME} 的{WHAT}中有控制字符；请直接输入，不要粘贴。",
  },
  { en: "{NAME} needs a text under {key}.", zh: "{NAME} 缺少 {key}。" },
  {
    en: "{NAME} needs words under {key}, such as {en: Age, zh: 年龄}.",
    zh: "{NAME} 缺少 {key}，例如 {en: Age, zh: 年龄}。",
  },

  // Tasks.
  { en: "There is no task {id}.", zh: "没有任务 {id}。" },
  { en: "There is no document {ordinal} in task {id}.", zh: "任务 {id} 中没有文献 {ordinal}。" },
  { en: "No documents are selected. Choose at least one.", zh: "没有选择文献。请至少选择一篇。" },
  {
    en: "A task takes at most {most} documents; {count} are selected.",
    zh: "一个任务最多 {most} 篇文献，已选 {count} 篇。",
  },
  { en: "The context is at most {most} characters long.", zh: "综述说明最多 {most} 个字符。" },
  {
    en: "None of the chosen fields is asked of a paper: people or rules answer them. Choose more.",
    zh: "所选字段均不向文献提问，而由人或规则回答。请多选一些。",
  },
  {
    en: "A spending cap lies between 0 and {most}, not at {cap}.",
    zh: "费用上限须在 0 至 {most} 之间，不能是 {cap}。",
  },
  {
    en: "What {model} costs is not known, so a spending cap could not be kept. Go on without one.",
    zh: "{model} 的价格未知，因此无法执行费用上限。请不设上限。",
  },
  {
    en: "No model is configured: the embedded extractor answers, and there is nothing to test.",
    zh: "未配置模型：由内置提取器回答，无需测试。",
  },
  {
    en: "The model was tested often just now. Wait {seconds} s, then test again.",
    zh: "刚才测试过于频繁。请等 {seconds} 秒后再测试。",
  },
  {
    en: "This idempotency key belongs to another task. Use a new one for each task.",
    zh: "此次开始的请求属于另一个任务。请重新开始。",
  },

  // Why a task stands still, and why a document failed.
  {
    en: "The task has reached its spending cap of {cap}. Raise the cap and resume it.",
    zh: "任务已达到费用上限 {cap}。请提高上限，然后继续任务。",
  },
  { en: "Calls under way may use up the spending cap.", zh: "正在进行的调用可能会用完费用上限。" },
  { en: "The provider asked for silence.", zh: "模型服务方要求暂缓调用。" },
  {
    en: "The worker that took it is not set up for the model {model} at {address}. Start one with that model and its key in its environment.",
    zh: "接手的工作进程没有设置位于 {address} 的模型 {model}。请启动一个设置了该模型及其密钥的工作进程。",
  },
  {
    en: "The findings about this document take {size} bytes, and {most} is the most that can be kept of one. Ask fewer fields.",
    zh: "此文献的提取结果有 {size} 字节，每篇最多保存 {most} 字节。请减少字段。",
  },
  { en: "cancelled by an operator", zh: "由人取消" },
  { en: "try again in {seconds} s", zh: "{seconds} 秒后重试" },
  { en: "the handler ran longer than its {seconds} s", zh: "处理超过了 {seconds} 秒的时限" },
  { en: "the handler ran longer than its {seconds} s and was killed", zh: "处理超过了 {seconds} 秒的时限，已被终止" },
  { en: "the handler blocked its worker past its deadline", zh: "处理超过时限，并阻塞了工作进程" },
  { en: "worker {id} (process {pid} on {host}) {ENDED}", zh: "工作进程 {id}（{host} 上的进程 {pid}）{ENDED}" },
  { en: "its lease was taken away: cancelled, or given to another worker", zh: "已被取消，或已交给另一个工作进程" },
  { en: "This worker is too busy to call in time.", zh: "该工作进程太忙，来不及调用。" },
  { en: "this worker is told to stop; the item will run elsewhere", zh: "工作进程正在停止，该条目将在别处进行" },

  // What a model's provider did.
  { en: "({status})", zh: "（{status}）" },
  { en: "({status}: {said})", zh: "（{status}：{said}）" },
  {
    en: "The account has no credit left. Top it up or raise its limit, then resume the task.",
    zh: "账户余额已用完。请充值或提高限额，然后继续任务。",
  },
  {
    en: "The provider's content filter refused this document. Another model may take it.",
    zh: "模型服务方的内容过滤拒绝了此文献。换一个模型也许可以。",
  },
  {
    en: "The provider refused the key. Check the key and what it may use, then resume the task.",
    zh: "模型服务方拒绝了密钥。请检查密钥及其权限，然后继续任务。",
  },
  {
    en: "The request is longer than this model takes. Choose one with a larger context.",
    zh: "请求超过此模型的长度。请选择上下文更长的模型。",
  },
  {
    en: "The provider asks us to slow down. All calls of this queue wait, then go on.",
    zh: "模型服务方要求放慢。此队列的所有调用会等待，然后继续。",
  },
  { en: "The provider gave up waiting.", zh: "模型服务方等待超时。" },
  { en: "The provider is overloaded or broken for the moment.", zh: "模型服务方暂时过载或出现故障。" },
  {
    en: "The address answers with a redirect, which is not followed because the key would travel along.",
    zh: "该地址要求转到别处；因密钥会随之外传，故未转去。",
  },
  { en: "Give the final address.", zh: "请给出最终地址。" },
  { en: "There is no chat API for model {model} at {host}.", zh: "{host} 没有模型 {model} 的对话接口。" },
  {
    en: "Check the model's name and the address; often it ends in /v1.",
    zh: "请检查模型名称和地址；地址常以 /v1 结尾。",
  },
  {
    en: "The provider knows no model {model}. Choose one from its list.",
    zh: "模型服务方没有模型 {model}。请从其列表中选择。",
  },
  { en: "The provider's own check found the answer not to be JSON.", zh: "模型服务方自查发现回答不是 JSON。" },
  {
    en: "The provider refused the request as invalid. It would be refused again.",
    zh: "模型服务方认为请求无效而拒绝，重试也会被拒绝。",
  },
  { en: "{host} did not answer like a model's API.", zh: "{host} 的应答不像模型接口。" },
  {
    en: "Check it: often it ends in /v1, or a portal or proxy stands between.",
    zh: "请检查地址：常以 /v1 结尾，或中间隔着门户或代理。",
  },
  {
    en: "The provider's content filter stopped the answer. Another model may give one.",
    zh: "模型服务方的内容过滤中止了回答。换一个模型也许能回答。",
  },
  {
    en: "The answer was cut off at its token limit. Ask for fewer fields at once, or allow more tokens.",
    zh: "回答达到词元上限而被截断。请减少一次提问的字段，或允许更多词元。",
  },
  { en: "The answer was cut off.", zh: "回答被截断。" },
  { en: "The provider broke off for lack of resources.", zh: "模型服务方因资源不足而中断。" },
  { en: "The model refused to answer: {said}", zh: "模型拒绝回答：{said}" },
  { en: "The model's answer was blank.", zh: "模型的回答是空白。" },
  {
    en: "No connection to {host} within its time. Check the address and the network.",
    zh: "未能及时连接 {host}。请检查地址和网络。",
  },
  { en: "{host} did not finish its answer in time.", zh: "{host} 未能及时答完。" },
  {
    en: "The certificate of {host} cannot be trusted. Check the address and the clock.",
    zh: "{host} 的证书不可信。请检查地址和时钟。",
  },
  { en: "The name {host} cannot be found.", zh: "找不到名称 {host}。" },
  {
    en: "Nothing listens at {host}. Is the server running, and the port right?",
    zh: "{host} 没有服务在监听。服务器是否在运行，端口是否正确？",
  },
  { en: "The connection to {host} broke.", zh: "与 {host} 的连接中断。" },
  {
    en: "The model client failed in a way it does not know ({name}). Please report this.",
    zh: "调用模型的程序发生了未知错误（{name}）。请报告此问题。",
  },
  {
    en: "The model's answer is not the JSON object that was asked for: {WHY}.",
    zh: "模型的回答不是所要求的 JSON 对象：{WHY}。",
  },
  { en: "it is longer than {most} characters", zh: "超过 {most} 个字符" },
  { en: "it is JSON, but not an object", zh: "是 JSON，但不是对象" },
  { en: "it holds several objects", zh: "含有多个对象" },
  { en: "it cannot be read", zh: "无法读取" },
  { en: "it is nested deeper than {most}", zh: "嵌套超过 {most} 层" },
  { en: "the key {key} stands twice in one object", zh: "同一对象中键 {key} 出现了两次" },
  {
    en: "two keys of one object are the same once characters that cannot be kept are replaced",
    zh: "替换无法保存的字符后，同一对象中有两个键相同",
  },
  { en: "a number has more than 400 digits", zh: "有数字超过 400 位" },
  { en: "{text} is not a finite number", zh: "{text} 不是有限的数" },
  { en: "{name} is not a number in JSON", zh: "{name} 不是 JSON 中的数" },
  { en: "{why} at line {line}, column {column}", zh: "第 {line} 行第 {column} 列：{why}" },

  // What became of a question.
  { en: "{Code}, again", zh: "{Code}，再次" },
  { en: "{STEP}: {SENTENCE}", zh: "{STEP}：{SENTENCE}" },
  { en: "{Code}: {SENTENCE}", zh: "{Code}：{SENTENCE}" },
  {
    en: "The model did not list the arms and outcomes in a form that can be read, also when asked again.",
    zh: "模型未能以可读的形式列出分组和结局，再次提问也是如此。",
  },
  { en: "The model gave no usable answer, also when asked again.", zh: "模型没有给出可用的回答，再次提问也是如此。" },
  {
    en: "The model's answer was cut off. Raise its output limit or ask fewer fields.",
    zh: "模型的回答被截断。请提高其输出上限，或减少字段。",
  },
  { en: "{Code} of row {row}: {SENTENCE}", zh: "{Code}（行 {row}）：{SENTENCE}" },
  { en: "{Code} has no answer.", zh: "{Code} 没有回答。" },
  { en: "{Code} of row {row} has no answer.", zh: "{Code}（行 {row}）没有回答。" },
  { en: "{Code} has two different answers.", zh: "{Code} 有两个不同的回答。" },
  { en: "{Code} of row {row} has two different answers.", zh: "{Code}（行 {row}）有两个不同的回答。" },
  { en: "the state is {state}, but there is a value", zh: "状态为 {state}，却有值" },
  { en: "the state {state} is none of those allowed", zh: "状态 {state} 不在允许之列" },

  // Notes.
  { en: "The embedded extractor does not look for this.", zh: "内置提取器不查找此项。" },
  { en: "The embedded extractor reads English and Chinese only.", zh: "内置提取器只读英文和中文。" },
  { en: "There is no text to look in.", zh: "没有可供查找的文字。" },
  { en: "The text gives more than one answer.", zh: "原文给出了不止一个答案。" },
  { en: "What was found is none of the choices.", zh: "找到的内容不在选项之列。" },
  { en: "The names do not tell who they are.", zh: "名称看不出是谁。" },
  { en: "What the text says does not settle it.", zh: "原文所述不足以确定。" },
  { en: "Elsewhere the paper says {told}.", zh: "文献另一处写的是 {told}。" },
  { en: "One place says {one}, another {others}.", zh: "一处写的是 {one}，另一处是 {others}。" },
  { en: "The model's guess is {value}.", zh: "模型猜测是 {value}。" },
  { en: "Text recognised from a picture (OCR).", zh: "由图像识别的文字（OCR）。" },
  { en: "Computed from {answers}.", zh: "由 {answers} 计算。" },
  { en: "No rule computes {field}.", zh: "没有计算 {field} 的规则。" },
  { en: "The tool chosen is {tool}.", zh: "所选工具是 {tool}。" },
  { en: "No judgement: {FIELDS} must be answered first.", zh: "未作判断：须先回答 {FIELDS}。" },
  { en: "No judgement: {fields} must be answered first.", zh: "未作判断：须先回答 {fields}。" },
  {
    en: "No judgement: the rules here are for the effect of assignment, not of adherence.",
    zh: "未作判断：此处的规则针对分配效应，而非依从效应。",
  },
  { en: "Not verified: the quotes of {count} of {all} answers.", zh: "{all} 个回答中有 {count} 个的引用未核实。" },

  // Flags; those of a template's own checks come with the template.
  {
    en: "There are too many rows to compare each with each; the checks across rows were not finished.",
    zh: "行数过多，跨行检查未全部完成。",
  },
  {
    en: "The text of this document was recognised from pictures (OCR) and may contain misread characters: no quote counts as exact. Compare numbers with the page.",
    zh: "此文献的文字由图像识别（OCR）而来，可能有误：任何引用都不算精确。请对照页面核对数字。",
  },
  {
    en: "The quote speaks to a machine rather than to a reader. Look at the paper.",
    zh: "此引用像是对机器而非读者说的。请查看文献。",
  },
  {
    en: "The paper has {count} more {ROWS} than can be asked about at once; those are missing.",
    zh: "文献的{ROWS}比一次能提问的多 {count} 个，多出的缺失。",
  },
  {
    en: "The model's list of arms and outcomes was cut off; some may be missing.",
    zh: "模型列出的分组和结局被截断，可能有缺失。",
  },

  // Reviews, and values that are no such.
  { en: "This task has no field {field}.", zh: "本任务没有字段 {field}。" },
  {
    en: "Document {ordinal} is {STATE}: there is nothing to review in it yet.",
    zh: "文献 {ordinal} 的状态为“{STATE}”，尚无可审核的内容。",
  },
  {
    en: "Document {ordinal} has no row {row} for the field {field}.",
    zh: "文献 {ordinal} 没有字段 {field} 的行 {row}。",
  },
  { en: "{reviewer} has reviewed this value meanwhile ({ACTION}).", zh: "其间 {reviewer} 已审核此值（{ACTION}）。" },
  { en: "The review you saw here is gone.", zh: "您看到的审核已不存在。" },
  {
    en: "This value follows from other answers, and one of those has changed.",
    zh: "此值由其他回答得出，其中一个已改变。",
  },
  { en: "There is nothing here to reject.", zh: "此处没有可否决的内容。" },
  { en: "There is no review here to take back.", zh: "此处没有可撤回的审核。" },
  {
    en: "There is no answer here to accept. Give a value, or say that there is none.",
    zh: "此处没有可接受的回答。请给出值，或说明没有。",
  },
  { en: "There are several answers here. Give the value that is right.", zh: "此处有多个回答。请给出正确的值。" },
  { en: "This is no value. Give one, or say that it is not reported.", zh: "这不是值。请给出值，或标为未报告。" },
  { en: "This is no value. Say that it is not applicable instead.", zh: "这不是值。请改为标为不适用。" },
  { en: "A note is at most {most} characters long.", zh: "备注最多 {most} 个字符。" },
  { en: "Accept the values of 1 to {most} documents at once.", zh: "一次可接受 1 至 {most} 篇文献的值。" },
  { en: "No value was given.", zh: "没有给出值。" },
  { en: "The answer says that it is not reported.", zh: "回答表示未报告。" },
  { en: "The answer says that it does not apply.", zh: "回答表示不适用。" },
  { en: "The answer says that it is unclear.", zh: "回答表示不明确。" },
  { en: "{value} is no number.", zh: "{value} 不是数字。" },
  { en: "{value} is no whole number.", zh: "{value} 不是整数。" },
  { en: "{value} is more than a number.", zh: "{value} 不只是一个数字。" },
  { en: "{value} is too long for a number.", zh: "{value} 作为数字过长。" },
  {
    en: "{value} can be read as a number in more ways than one, or in none.",
    zh: "{value} 作为数字有不止一种读法，或无法读取。",
  },
  { en: "A number is needed, not {what}.", zh: "需要数字，而不是 {what}。" },
  { en: "True and false are no numbers.", zh: "真和假不是数字。" },
  { en: "The number is too big to be kept exactly.", zh: "数字过大，无法精确保存。" },
  { en: "The number is not finite.", zh: "数字不是有限的。" },
  { en: "A quantity is a number and its unit, such as 12 weeks.", zh: "量由数字和单位组成，例如 12 weeks。" },
  { en: "A quantity in two parts has a value and a unit.", zh: "分为两部分的量须有值和单位。" },
  { en: "{value} has no unit of {units}.", zh: "{value} 没有以下单位之一：{units}。" },
  { en: "{value} is no number with a unit.", zh: "{value} 不是带单位的数字。" },
  { en: "{value} is none of the options {options}.", zh: "{value} 不在选项 {options} 之列。" },
  { en: "A list of texts is needed.", zh: "需要一组文本。" },
  { en: "The list has {count} entries; {most} is the most it may have.", zh: "列表有 {count} 项，最多 {most} 项。" },
  { en: "The list is empty.", zh: "列表是空的。" },
  { en: "{value} is no DOI; one starts with 10. and has a slash.", zh: "{value} 不是 DOI；DOI 以 10. 开头并含斜杠。" },
  { en: "{value} is no PMID; one is made of up to nine digits.", zh: "{value} 不是 PMID；PMID 由最多九位数字组成。" },
  { en: "A text is needed, not {what}.", zh: "需要文本，而不是 {what}。" },
  {
    en: "The text has {count} characters; {most} is the most it may have.",
    zh: "文本有 {count} 个字符，最多 {most} 个。",
  },
  { en: "The text is empty.", zh: "文本是空的。" },
  { en: "A date is a text such as 2019-03.", zh: "日期是 2019-03 这样的文本。" },
  {
    en: "{value} is no date that can be read in one way only; write it as 2019-03 or 2019-03-15.",
    zh: "{value} 不是只有一种读法的日期；请写成 2019-03 或 2019-03-15。",
  },
  { en: "{value} is no date between 1800 and 2100.", zh: "{value} 不是 1800 至 2100 年间的日期。" },
  { en: "{value} is no day of the calendar.", zh: "日历上没有 {value} 这一天。" },

  // The engine.
  { en: "There is no batch {id}. It may have been pruned.", zh: "没有批次 {id}，可能已被清理。" },
  { en: "There is no queue {name}.", zh: "没有队列 {name}。" },
  { en: "There is no schedule {name}.", zh: "没有计划 {name}。" },
];

/** The words of a dictionary by their codes, as the server says them. */
function listed(words: Record<string, string>): Label[] {
  return Object.entries(words).map(([code, word]) => ({ en: code.replaceAll("_", " "), zh: word }));
}

const PLACE = /\{(\w+)\}/;
const EVERY_PLACE = /\{(\w+)\}/g;

interface Compiled {
  start: string;
  pattern: RegExp;
}

// What a sentence is about comes off before all else; then the pair with the most words of its own is the most precise.
const rank = (en: string) => (/^\{(Code|STEP)\}/.test(en) ? 1_000 : 0) + en.replace(EVERY_PLACE, "").length;
const ordered = [...PAIRS].sort((one, other) => rank(other.en) - rank(one.en));
const compiled = new WeakMap<Label, Compiled>();
const known = new Map<string, string | null>();

/** A notice of the server in Chinese; as it is, where nobody has put it into Chinese. `checks`: a check's own text. */
export function translated(message: Notice | string | null, checks: readonly Label[] = []): string {
  if (message === null) return "";
  if (typeof message === "string") return match(message, checks) ?? look(message) ?? message;
  const text = notices[message.id] ?? (message.id.startsWith("check.") ? checks[0]?.zh : undefined);
  if (text !== undefined) return filled(text, message.params, (inner) => translated(inner));
  return translated(message.message, checks);
}

function look(text: string): string | null {
  let told = known.get(text);
  if (told === undefined) {
    told = together(text) ?? match(text, ordered);
    known.set(text, told);
  }
  return told;
}

/** Sentences one after the other. Before the whole: a place takes anything, also the sentence that follows. */
function together(text: string): string | null {
  for (const end of text.matchAll(/[.?)] /g)) {
    const first = look(text.slice(0, end.index + 1));
    const rest = first === null ? null : look(text.slice(end.index + 2));
    if (rest !== null) return first + rest;
  }
  return null;
}

function match(text: string, pairs: readonly Label[]): string | null {
  for (const pair of pairs) {
    const { start, pattern } = compile(pair);
    const found = text.startsWith(start) ? pattern.exec(text) : null;
    const told = found && completed(pair.zh, found.groups ?? {});
    if (told) return told;
  }
  return null;
}

function completed(zh: string, places: Record<string, string>): string | null {
  let isWhole = true;
  const told = zh.replace(EVERY_PLACE, (_, name: string) => {
    const said = places[name] ?? "";
    const word = name === name.toUpperCase() ? look(said) : said;
    isWhole &&= word !== null;
    return word ?? "";
  });
  return isWhole ? told : null;
}

function compile(pair: Label): Compiled {
  let made = compiled.get(pair);
  if (made === undefined) {
    const seen = new Set<string>();
    const parts = pair.en.split(PLACE).map((part, at) => {
      if (at % 2 === 0) return part.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
      return seen.has(part) ? `\\k<${part}>` : seen.add(part) && `(?<${part}>${part === "Code" ? "[\\w/]+" : ".+?"})`;
    });
    made = { start: pair.en.split(PLACE, 1)[0] ?? "", pattern: new RegExp(`^${parts.join("")}$`, "s") };
    compiled.set(pair, made);
  }
  return made;
}
